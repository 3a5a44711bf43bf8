"""Layout: where everything stands and what is bought to link it.

Owns: the search over shapes (`search`), the placing of nodes and switches (`nodes`, `place`), and the choice of cables
and pluggables (`assembly`, `cable`). The only room that imports OR-Tools.
Takes: `Topology`, `FloorPlan`, `Catalog` and, for the search, callables that the pipeline hands it. Gives: `Placement`,
`Cabling`, each with a `Termination`.
Must not know: how a family builds its port map, traffic, configurations.

Decisions
- Medium and length are functions of the route, never decision variables: placement sees one price per length.
- Identical leaves and identical spines are counts, not labelled switches, until racks are fixed.
- A bound is kept for every choice and asserted against the incumbent; what it does not cover is named.
"""
