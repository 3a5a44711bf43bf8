"""Lossless: buffer that a link needs, where marking starts, and whether buffers wait in a ring.

Owns the formulas: PFC headroom per chip law, ECN thresholds and their three grades, InfiniBand credit and
virtual lanes, and the buffer dependency graph. Takes plain numbers, arrays of switch pairs and the catalog's
records of chips and marking profiles. Gives frozen records.

Must not know: devices, ports, requests, configuration syntax, which chip a switch has.

Decisions:
- One record, `Chip`, for every Ethernet chip: the law is a field, so a new chip is a file, not code.
- A law's constants reproduce published vendor tables. What the tables do not cover is refused with the known
  rates, or given as an estimate that says so in `notes`; nothing is interpolated silently.
- A slower rate without a row takes the next faster row (vendors do the same: 10G rows repeat 25G). Up to
  twice the fastest row the fixed part is scaled: high, because part of it does not grow with the rate.
- A chip without a law gets the physical floor, marked `is_floor`: less cannot work, more may be needed.
- The dependency graph has one node per switch-to-switch arc and lane. Arcs of endpoints start or end every
  route and lie on no cycle, so a fabric of 10,000 endpoints is judged from its few thousand trunks.
- At a spine an arc may continue to every arc out but its own reverse. Two chains of helper nodes say this
  with a linear number of edges and the same reachability as the quadratic product.
"""
