"""Render: text and pictures from a design and its report.

Owns what people and switches read: configurations, cabling sheets, bill of materials, report, plots. Takes
finished records, gives file contents by path in the design folder; writing them is the design folder's business.

Must not know: how a decision was made. A number that is not in a record is not printed.

Decisions:
- Intent, then view, then text: `switch_views` gathers all that one switch needs into a `SwitchView`, a template only
  prints it. Another system is another folder of templates, not another gatherer.
- Jinja runs with `StrictUndefined`: a missing value stops the run instead of leaving a hole in a configuration.
- Device names are checked before they reach a path or a configuration.
- A port without a link stays in the configuration, shut, in the split that the part has at its fastest rate.
- FRR gets a file of its own (`docker_routing_config_mode: split-unified`), so BGP is written once, where every
  word of it can be checked; `BGP_NEIGHBOR` repeats the sessions for SONiC's own commands.
- Routes other than loopbacks and host links stay inside a switch: its management network is connected too.
- A management address comes from DHCP by `management.csv`, and `hwsku` and `mac` are facts of the box: none of them
  is configured.
- NVOS switches without routing of their own need no file; the subnet manager's configuration is theirs.
- The report is built once as sections of plain sentences and tables; Markdown and HTML print the same sections.
- What is unknown reads "unknown" or "confirm on site"; a planning value has a column of its own and is never summed
  with prices.
- Pictures fold: totals are of the whole fabric, what is left out is counted. Trays are drawn from the cables' routes.
- The picture of a topology is chosen by the links and roles that are there; one line may stand for a bundle of links.
- A label's text names ports as systems write them; cage and socket stand beside it, for who sees faceplates alone.
- Row order is the order of work: bundle, rack, unit, cage. Files hold no clock and no path.
"""
