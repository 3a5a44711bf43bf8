"""Room card: what the network makes of a demand: load on every arc, throughput, completion time, tails.

Owns: the port map of one plane as arrays (`port_map`), load of every directed link under even spread
    (`link_load`) and under hashing (`hashing`), uniform throughput (`throughput`), phase time (`latency`) and
    order statistics over many ranks (`tail`).
Takes: index and rate arrays made once by the caller, demand folded to leaf pairs, stack constants of the
    catalog.
Gives: frozen records of arrays and numbers, indexed exactly as the input was; the caller knows the names.
Must not know: devices, parts, files, or how a demand came about (that is `traffic`).

Decisions:
- A link is undirected, an arc directed: endpoint up/down, uplink up/down. Each arc keeps its own load.
- One plane a call: planes share no switch, so a design with p planes is p calls.
- A failed link is an absent uplink (`PortMap.keep_uplinks`); pairs of leaves left without a common spine are
  listed and never spread silently over something else.
- Spread is local, as switches do it: a leaf weighs its usable uplinks (those whose spine reaches the far
  leaf) by their own rate and knows nothing of the rate behind the spine. The spine does the same downwards.
- Load and hashing are matrix products over (leaf, spine), so cost follows links and leaves squared. Per-flow
  water filling gives the same slowest flow for all-to-all and costs 1,000 times more.
- Hashing is sampled per leaf, which is exact for the fullest uplink of either direction. The two directions
  are drawn apart: their maxima hardly depend on each other, and drawing pairs apart would cost 100 times
  more.
- Stack constants hold for the stack, NIC and sizes they were fitted on; `outside_fit` says what is stretched.
"""
