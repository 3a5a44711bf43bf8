"""Room card: which ways packets take through a network, and on which lanes.

Owns: one routing scheme a file, registered with the families it serves (`_protocol`), and the ladder that all of them
    are made of (`_ladder`); forwarding tables, as OpenSM sets them, on the ways of any scheme (`_tables`).
Takes: the `Network` of one plane, whole or with elements down.
Gives: `Paths`: states and steps, each step with its arc and lane; `Forwarding`: one link per switch and endpoint. Loads
    are `flow`'s to count, cycles `lossless`'s.
Must not know: demands, parts, names, files.

Decisions:
- A scheme is a ladder: an ordered list of rungs, each a set of arcs and a lane. Every hop takes a rung above the last
  one, the lowest that has its arc; a rung that repeats may be taken again. Up/down routing is the ladder (up, down),
  minimal dragonfly routing (local, global, local). So schemes are a few lines each, and whether buffers can wait in
  a circle is read off the same record that carries the load.
- Lanes belong to rungs. How many of them a scheme needs is computed by merging lanes until a circle closes
  (`lossless`), not taken from the scheme's word.
- A table knows where a packet goes and nothing of where it was: it takes what the most bound packet may (`_next_hops`).
- Elements that are down are absent from the network; a scheme is asked again, as a subnet manager would be.
"""
