"""Layout: where everything stands and what is bought to link it.

Owns: the search over shapes (`search`), the placing of nodes and switches (`nodes`, `place`), and the choice of cables
and pluggables (`assembly`, `cable`). The only room that imports OR-Tools.
Takes: `Topology`, `FloorPlan`, `Catalog` and, for the search, callables that the pipeline hands it. Gives: `Placement`
with its `Termination`, `Cabling`, and prices of links by length.
Must not know: how a family builds its port map, traffic, configurations.

Decisions
- Medium and length are functions of the route, never decision variables: placement sees the price of each set of
  links that cabling will buy together (`lots`), or where that depends on several switches a price per link below it.
- A cage holds one pluggable or one cable end. So cages that links tie together are all fibre or one assembly, and each
  such component is bought on its own, all ways compared (`component`, `purchase`): no solver, and still exact.
- Only where a limit on orderable numbers or a full tray ties components, an integer program buys all of them together
  (`ties`, `assortment`), for the places found; the bound of the search ignores such limits and stays one.
- What fits is a list of rules with reasons (`assembly`), what is preferred one rank: sold today, the cost by each goal
  in order, qualified. Costs are whole numbers on the scales of the request (cents or milliwatts), so all of this is
  the same for every objective.
- Which routers end the global links of two groups is decided for places found, over even spreads alone: an integer
  program over racks, its linear program the bound (`global_ends`); places are then looked for once more.
- Free ports are matched last, leaf by leaf, with all places known (`port_matching`); `free_lots` bounds any order.
- Identical leaves and identical spines are counts, not labelled switches, until racks are fixed. Where switches are
  linked in other ways (routers, groups, three tiers) they are labelled, and placed as a quadratic assignment (`mesh`).
- A bound is kept for every choice and asserted against the incumbent; what it does not cover is named.
"""
