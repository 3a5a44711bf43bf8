"""Pipeline: the only place where rooms meet.

Owns: the order of the work (`choosing`, `designing`, `reading`, `judging`, `writing`) and the hand-over between rooms
that must not know each other: arrays for the flow model (`networks`, `workloads`), lossless rows from cables
(`settings`).
Takes: a loaded request or a design folder, a catalog. Gives: `Design`, `Report`, files.
Must not know: any formula, any format.

Decisions
- Choosing has three steps: what a request allows (`candidates`), one shape in full (`laying`), the search (`choosing`).
- Two doors lead to a `Design` (compute it, read it back); one judge and one printer serve both, so a design that we
  make is judged exactly like somebody else's.
- Settings come after cabling, because headroom depends on cable length.
- Workloads are judged on port maps: once per shape, where a limit can pass it over (`rules`), and once more on the
  finished design, never inside placement. Limits on the whole fabric are judged on what was laid out.
- An infeasible request is said again by the fewest of the user's own keys (`conflicts`): rooms prove with whatever
  stands in their way first, users can change only what they wrote.
- Values are tuples, one whole number a goal (`objective`); bounds hold goal by goal, hence in any order of goals. The
  front (`pareto`) is a search of its own beside the design, for it wants the ends that the design passes over.
"""
