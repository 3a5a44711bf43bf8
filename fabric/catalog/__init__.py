"""Catalog: what can be bought and what is known about it.

Owns: the part files below `data/`, one part per file, its key the file's name; their schemas (`parts` for hardware,
`constants` for chips, marking profiles, model shapes and stacks, `link_layer` for ends and hops, `record` for what all
share); loading with an overlay (`load`, `links`, `price_list`); prices and power (`price`, `watts`, and the planning
figures of each); what a piece weighs under an objective (`scale`); bill and power of a design (`bill`, `power`); what
`fabric catalog` prints (`listing`, `check`).
Takes: files, and the records of a design for its bill. Gives: frozen records by kind and key.
Must not know: topologies, floor plans, which part a design should choose.

Decisions.
- Facts are data: no vendor's number stands in Python, and every figure names its source and how sure it is. A file
  states both once; `evidence` states them again for the figures that differ.
- Null is "not known". A planning value, with its reason, may stand in to bind space, power or heat; it never enters
  a bill. What decides which part is bought (a cage's top) is therefore never planned but stated as an estimate.
- One file per orderable number: what differs in length, top or airflow is another thing to buy. `family` joins them.
- All files are read and judged together, every time: a fault in any of them is reported with all others, and a
  command needs a tenth of a second for it.
- Planning prices follow classes, not parts, so that a new part needs none and the order of the media always holds.
"""
