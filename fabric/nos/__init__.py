"""NOS: what a network operating system calls things, one description per system.

Owns `templates/<nos>/nos.yaml` (patterns of port names and aliases, words, defaults of the system, the files
it reads) and the two-way mapping between a port's name and its place on the faceplate. Takes cage and slot,
gives names, and the other way round.

Must not know: catalog parts, topologies, what the templates print.

Decisions:
- A name is a pattern over `cage` (from 1), `slot` and `port` (place in the cage from 0 and 1), `letter`
  (a, b, …) and `lane` (first lane of the port, counted over the switch from 0). A new system is a new folder.
- The same pattern, turned into a regular expression, reads the name back: both ways cannot drift apart.
- Tables use one system per link layer: NVOS (also OpenSM's numbering) for InfiniBand, SONiC for Ethernet.
- Lane numbers count from the front panel. The true order on the chip stands in the platform's own port file,
  which only the switch has; who replaces that file must keep its lanes.
"""
