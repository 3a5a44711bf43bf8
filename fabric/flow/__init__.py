"""Room card: what the network makes of a demand: load on every arc, throughput, completion time, tails.

Owns: what a way to spread makes of traffic (`spreading`, the door for callers): shortest ways layer by layer (`walk`),
    load of every directed link under even spread (`link_load`), longer ways (`detours`), forwarding tables
    (`table_load`) and hashing (`hashing`, `hash_ways`, `fullest`); whose bytes a link carries (`contributions`);
    uniform throughput (`throughput`) and the worst permutation (`permutation`), their bounds (`bounds`) and the best
    routing (`throughput_lp`), fair rates (`max_min`), throughput without each link (`link_losses`, `reroute`), which
    switches are interchangeable (`symmetry`), ways of small messages (`way`, `longest_way`), links shared by jobs
    (`sharing`), phase time (`latency`) and its samples, order statistics over many ranks (`sampling`).
Takes: the `Network` of one plane with its `Routes`, demand folded to pairs of leaves or routers, stack constants of the
    catalog.
Gives: frozen records of arrays and numbers, indexed exactly as the input was; the caller knows the names.
Must not know: devices, parts, files, or how a demand came about (that is `traffic`).

Decisions:
- A link is undirected, an arc directed: endpoint up/down, link up/down. Each arc keeps its own load.
- One plane a call: planes share no switch, so a design with p planes is p calls.
- One engine for every family: a tree, a dragonfly and a torus differ in their routes alone.
- A failed link is absent (`Network.without`); pairs left without a way are listed and never spread silently over
  something else.
- Spread is local, as switches do it: a switch weighs the links that begin a shortest way by their own rate and knows
  nothing of the rates farther on.
- Load is a product of matrices for each layer of distance, so cost follows links times leaves, and full blocks of a
  tree go through dense products. Fair rates fill classes of equal flows, at some loads for each level of rates.
- No throughput without its bounds, in order: achieved, best of any routing, each bound. Where a bound is reached the
  best is known without a program; large ones are not solved, and the caller is told.
- Hashing of leaves and spines is drawn per leaf, exact for the fullest uplink of either direction; the two directions
  apart, as their maxima hardly depend on each other. Elsewhere each link is a binomial number by mean and variance.
- Stack constants hold for the stack, NIC and sizes they were fitted on; `outside_fit` says what is stretched.
"""
