"""Checks: the judge. One design rule per file, each yielding remarks about named objects of a design.

Owns the rules and how they are run (`run`), and views of a design that rules share (`CheckContext`: ports and cages in
use, what a cage carries, which part plugs in where). Takes a `Design`, the `Catalog` and the flow model's result. Gives
`Finding`s and `NotChecked`s, sorted, the same for a design that we made and for one read back.

Must not know: how anything was built. It imports no room of the builder's floor (topology, layout, addressing,
lossless, flow), so a fault of the builder cannot hide in the judge; import-linter keeps it so. The floor plan's
geometry and the patterns of port names are data of the rooms below, and shared.

Decisions:
- A rule says what it needs of a design. Without it the answer is "not checked", and so it is where the catalog does not
  know a capability: never a silent pass.
- A rule answers for one thing. Rules that would be consequences of another's finding leave the object to that rule
  (`symmetry` skips a leaf that `equal-spread` reports), so one fault reads as one finding where it can.
- A name that stands in no table is for `known-names`, a part that stands in no catalog for `known-parts`; every other
  rule passes over them.
- Ends of equal kind with equal parts are judged once and reported one by one: a design of 20,000 links has dozens.
- At most `MOST_REMARKS` findings of a rule are listed, the rest is counted: ten thousand lines hide the first one.
- Valley-free paths of a leaf-spine plane are its common spines: two leaves reach each other as long as they share one,
  and survive any spine as long as they share two. Routers survive any of them where no router alone joins two parts.
  No pair of endpoints is ever looped over.
- A leaf is judged with the spines it is meant to reach: those of its group where a plane has groups (`blocks`), else
  all of its plane. What a rule says of leaves holds for routers too, and it names them so.
- The floors of buffer settings are physics with the chip's cell and pause response from the catalog, not the law that
  sized the buffers: a setting below the floor cannot work, one above it may still be refused by the chip's own planner.
"""

from fabric.checks._context import CheckContext
from fabric.checks._run import run

__all__ = ["CheckContext", "run"]
