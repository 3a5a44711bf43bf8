"""Floor plan: from racks, rows and trays to route lengths; and a sensible plan where the user gave none.

Owns the geometry of a hall: which racks form a row, where ladders run, how long the way between two ports is, what
places it passes, and what a plan may not contain. Takes a `FloorPlan` (or, to generate one, plain numbers about
nodes and switches). Gives lengths as arrays, texts of routes, and floor plans.

Must not know: parts, topologies, prices, which device stands where.

Decisions:
- A length is the middle of the device's units up to the tray, along it, and down; no rounding, no route factor: the
  ladders are known, so nothing is guessed. Slack is added per end and by class of medium (`Routes.slack_m`).
  Choosing a sold length is the layout room's business.
- Heights count from the floor under the first rack unit. The plinth is left out, which makes every way up to an
  overhead tray a little too long: on the safe side.
- Two racks of different rows meet over a cross ladder, at x of the western- or easternmost rack of the whole plan,
  whichever way is shorter; also when their rows stand in one line.
- A tray graph replaces the ladders altogether. A rack reaches its drop at right angles. A rack with several drops
  uses the pair that makes the link shortest. Trays under the floor are tray nodes with z_m at or below 0.
- `lengths_m` accepts ranges of heights and then gives the shortest length within them: the layout room needs a
  bound before it knows the rack unit, and one formula for both leaves no room for two truths.
- A generated plan keeps to one rack size and one power limit (`hall.py`, each with its source); it is a start for a
  conversation with the site, and every figure is meant to be replaced by a floor plan file.
- Its network racks stand where the placement policy wants switches, as many as hold them all. Those that stay without
  a switch, because a place beside the nodes is cheaper, are taken out again (`without`).
"""
