"""Model: the records that every room takes and gives. Nothing here computes a design.

What a human writes (`Request`, `FloorPlan`) is pydantic, frozen, unknown keys refused. What we compute is a frozen,
slotted dataclass of plain values and tuples. A step returns a new record; nothing is changed after it is made.

`Design` holds decisions (topology, placement, cabling, settings), `Report` holds judgements; nothing is both. Parts
appear by catalog key only. Every device, link, cable and pluggable carries the name of the fabric it belongs to
(`compute` today): several fabrics share racks, trays and power of one floor plan.

Glossary. *endpoint*: one port of a node towards the fabric. *leaf*, *spine*: first and second tier of switches.
*rail*: all endpoints with the same index in their node. *plane*: one of several disjoint copies of the fabric.
*unit* (scalable unit, `su`): the nodes that share one leaf per rail and plane. *uplink*: a leaf's link to a spine.
*trunk*: the parallel links between one leaf and one spine. *cage*: the hole in a faceplate; it holds one pluggable
or one cable end and carries one or more *ports*. *assembly*: what is bought to make links: a copper or active
optical cable, or a fibre with the pluggables at its ends. *arc*: one direction of a link.
"""
