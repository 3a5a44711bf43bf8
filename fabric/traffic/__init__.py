"""Room card: how many bytes an AI job asks the network to carry, and between whom.

Owns: bytes of one token copy (`payload`), distinct domains a token reaches (`routing`), bytes per rank and
    per rank pair of one MoE phase (`moe`), who talks with whom (`demand`) folded to leaf pairs (`fold`) of the planes
    to which it is dealt (`planes`), what stays inside scale-up domains (`scale_up`), and uneven expert popularity
    (`expert_shares`, `group_limit`).
Takes: plain numbers of a model and of a parallel layout; one leaf, node and job index per endpoint.
Gives: frozen records of bytes and counts, and arrays (n_leaves, n_leaves) of endpoint pairs.
Must not know: link capacities, paths or time (that is `flow`), nor any vendor's figure (that is `catalog`).

Decisions:
- Demand is kept as *pairs of endpoints per pair of leaves*, never as a list of endpoint pairs: endpoints of
  one leaf are alike to every uplink, so the fold loses nothing and 100,000 endpoints cost n_leaves squared.
- One fold serves all patterns: an endpoint talks with the members of its group on other nodes. The group is
  the job for direct sends, and (job, index in node) where traffic is forwarded inside the node first.
- A mode is fully described by (copies per token, number of equal domains); bytes follow from one formula.
  Published "RDMA bandwidth" counts copies that stay in the node; our bytes on the NIC do not.
- The router is uniform within what it may choose: real routers pick groups by score, so group-limited
  figures are an approximation. Skew enters as one factor (hottest rank over mean) from `expert_shares`.
- Expected domains are summed as exact fractions and rounded once, so no result depends on an order.
"""
