"""Io: files to records and back, with every fault of a file at once and never half a folder on disk.

Owns: the request file and its floor plan (`request_file`, judged with the catalog by `request_check`), the design
folder (`design_folder`, its rows in `design_rows`, its joins in `design_joins`), forwarding tables of running subnets
(lines in `opensm_tables`, their meaning in `opensm_subnet`), and the replacement of a folder that survives a kill
(`atomic`).
Takes: paths, and a catalog to know the names of parts. Gives: `LoadedRequest`, `Design`; schemas for editors.
Must not know: how a design is computed, judged or drawn.

Decisions.
- A request alone has no floor plan; `floorplan.yaml` counts only beside a file called `request.yaml`, so that
  several requests can lie in one folder without sharing racks by accident.
- Faults of request, floor plan and part names are raised together; checks that need a whole request come after.
- All five tables of a design folder are always there, even if only with their header: what is missing is then a
  half-written folder and not a design without cables. A table without rows reads back as "not decided".
- Where a search ended (`Placement.termination`) is not stored: the proof of the whole design stands in
  `design.yaml`, and a folder that was edited by hand keeps no proof of its placement.
- A folder is swapped by two renames; between them the old one lies whole beside its place, and whoever touches the
  folder next, to read or to write, mends that first.
"""
