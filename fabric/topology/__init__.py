"""Topology: from a request to the shapes that could serve it, and from one shape to every device and link.

Owns: what a request asks in whole numbers (`size`), and per family the enumeration of shapes and the building of the
port map. One family is one module.
Takes: `Request`, `Catalog`. Gives: shapes (a few numbers), `Topology`.
Must not know: racks, lengths, cables, prices, traffic.

Decisions
- Shapes are enumerated, not solved for: for a given switch pair, unit and spine count the smallest trunk is best, so
  the list is short and complete (it holds the optimum of any cost that grows with switches and links). Each pair lists
  by growing number of leaves, and says before each what all that follow have at least: a search reads no further.
- A cage belongs to one tier: down ports fill cages from the first, uplinks start at the next whole cage. A site patches
  cages, not half cages; an odd number of down ports thus leaves one port of a twin cage free.
- Of one number of units the smallest unit decides on uplinks and spines: a larger one has the same leaves and no fewer
  uplinks. Then the unit grows as far as these uplinks allow: of equal cost the largest unit.
- Ports are regular: node i of a unit on down port i of each of its leaves, uplinks ascending by spine, so that the two
  ports of a twin cage meet the same neighbour wherever arithmetic allows it. Uneven trunks are dealt in whole cages
  (2 and 4 links, not 2 and 3) where these make up all uplinks: a twin copper cable needs them.
"""
