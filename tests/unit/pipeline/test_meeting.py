"""Different jobs at the same time: where they stand, and what they make of each other's time."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest

from fabric.catalog import load as catalog_load
from fabric.errors import InputError
from fabric.flow.sharing import Cycle
from fabric.model.request import Fabric, Request, Transport
from fabric.model.workload import Workload, together
from fabric.pipeline.advice import advised
from fabric.pipeline.carrying import carry
from fabric.pipeline.damage import damage
from fabric.pipeline.failures import damaged
from fabric.pipeline.jobs import Hosts, ranks_of
from fabric.pipeline.known import Known
from fabric.pipeline.meeting import Worst
from fabric.pipeline.workloads import predict

CATALOG = catalog_load.load()


def _job(name, ranks=64, **changes):
    keys = {"pattern": "all_to_all", "ranks": ranks, "bytes_per_rank": 500_000_000}
    return Workload(name=name, **(keys | changes))


# Where jobs stand.


def _hosts(nodes=16, nodes_per_domain=1, spares=0):
    names = tuple(f"node-{index:02d}" for index in range(nodes))
    return Hosts(names, 8 // nodes_per_domain, 8, nodes_per_domain, np.arange(nodes) // 4, spares)


def _seats(jobs, hosts=None, seed=1):
    found = {each.name: ranks_of(each, hosts or _hosts(), seed, jobs).domain for each in jobs}
    assert all(not np.intersect1d(first, second).size for first, second in combinations(found.values(), 2))
    return {name: np.unique(domain).tolist() for name, domain in found.items()}


def test_it_holds_for_both_sides_and_for_all_of_a_group():
    """Named once, in either direction or through a third; others run apart. Order is that of the list."""
    one, two, three = _job("a", beside=("c",)), _job("b"), _job("c")
    four = _job("d", beside=("c",))
    jobs = (four, one, two, three)
    for each in (one, three, four):
        assert [found.name for found in together(each, jobs)] == ["d", "a", "c"]
    assert together(two, jobs) == (two,)
    assert together(two, ()) == (two,)
    changed = _job("c", ranks=8)
    assert together(changed, jobs)[-1] is changed


def test_jobs_take_what_those_before_leave():
    """In the order of the list; the one without a number of jobs takes the rest, wherever it stands in the list."""
    jobs = (_job("rest", 8), _job("a", 16, jobs=2, beside=("rest",)), _job("b", 24, jobs=1, beside=("rest",)))
    assert _seats(jobs) == {"rest": list(range(7, 16)), "a": [0, 1, 2, 3], "b": [4, 5, 6]}
    assert _seats((jobs[0], jobs[2], jobs[1])) == {"rest": list(range(7, 16)), "b": [0, 1, 2], "a": [3, 4, 5, 6]}


def test_each_by_its_own_placement():
    """Spread over units with room, by rail, packed behind; a spare node is nobody's, and no two jobs share a rack."""
    jobs = (_job("a", 32, jobs=1, placement="spread"), _job("b", 4, jobs=3, placement="by_rail", beside=("a", "c")))
    jobs = (*jobs, _job("c", 4, placement="packed"))
    found = _seats(jobs, _hosts(spares=1))
    assert found == {"a": [0, 4, 8, 12], "b": [1, 2, 3, 5], "c": [6, 7, 9, 10, 11, 13, 14]}
    assert _seats((_job("a", 4, jobs=1, beside=("b",)), _job("b", 4, jobs=1)), _hosts(16, 2)) == {"a": [0], "b": [1]}


def test_named_nodes_are_kept_for_whom_names_them():
    """Also from a job that stands before it in the list."""
    jobs = (_job("a", 16, jobs=1), _job("b", 16, placement=("node-01", "node-00"), beside=("a",)))
    assert _seats(jobs) == {"a": [2, 3], "b": [0, 1]}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_shuffled_jobs_share_no_node(seed):
    """Two random placements, of the same seed."""
    jobs = (_job("a", jobs=1, placement="random", beside=("b",)), _job("b", placement="random"))
    found = _seats(jobs, seed=seed)
    assert sorted(found["a"] + found["b"]) == list(range(16))


@pytest.mark.parametrize(
    ("jobs", "nodes_per_domain", "said"),
    [
        (
            (_job("a", jobs=2, beside=("b",)), _job("b", jobs=1)),
            1,
            (
                "workloads.b: 1 job of 64 ranks do not fit: 0 domains of 8 accelerators hold 0 (whole domains a job); "
                "workloads beside it take 16 of all 16 domains"
            ),
        ),
        (
            (_job("a", jobs=3, beside=("b",)), _job("b", jobs=1)),
            1,
            (
                "workloads.a: 3 jobs of 64 ranks do not fit: 16 domains of 8 accelerators hold 2 (whole domains a job)"
                "; workloads beside it take 0 of all 16 domains"
            ),
        ),
        (
            (_job("a", beside=("b",)), _job("b"), _job("c", 8, jobs=1, beside=("b",))),
            1,
            "workloads.a: a and b run at the same time without `jobs`: only one of them may take what is left",
        ),
        (
            (_job("a", 8, placement=("node-03", "node-04")), _job("b", 8, placement=("node-04",), beside=("a",))),
            1,
            "workloads.b: it runs beside a on nodes that this names too: node-04",
        ),
        (
            (_job("a", 8, placement=("node-03",)), _job("b", 8, placement=("node-02",), beside=("a",))),
            2,
            "workloads.b: it runs beside a on nodes of scale-up domains that this names too: node-02",
        ),
        (
            (_job("a", 8, placement=("node-3",)), _job("b", 8, jobs=1, beside=("a",))),
            1,
            "workloads.a: 'node-3' is no node of the design, did you mean node-13?",
        ),
    ],
    ids=["no room", "too many", "two without", "same node", "same rack", "no node"],
)
def test_what_cannot_stand_together(jobs, nodes_per_domain, said):
    """The same words whichever of them is asked for."""
    for each in jobs:
        with pytest.raises(InputError) as raised:
            ranks_of(each, _hosts(nodes_per_domain=nodes_per_domain), 1, jobs)
        assert str(raised.value) == said


# What they make of each other's time.


@pytest.fixture(scope="module")
def fabric(laid_out):
    """Two units of eight nodes, a leaf for each of eight rails, a quarter of whose rate goes up."""
    request = Request(
        name="x",
        accelerator="hgx-b200",
        nodes=16,
        fabric=Fabric(
            link_layer="roce",
            family="fat_tree",
            switches=["chaoqing-n9500-64oc"],
            uplink_port_gbps=400,
            unit_nodes=8,
            oversubscription=4,
            parameters={"spines": 2},
        ),
        transport=Transport(load_balancing="spray"),
        samples=200,
    )
    return laid_out(request)


def _setting(fabric, jobs, **changes):
    setting, _ = fabric
    return replace(setting, request=setting.request.model_copy(update={"workloads": tuple(jobs)}), **changes)


def _without(fabric, names):
    return damaged(fabric[1], damage(fabric[1], names))


def _predicted(fabric, jobs, planes=None, **changes):
    setting = _setting(fabric, jobs, **changes)
    return {each.name: predict(each, setting, planes or fabric[1]) for each in jobs}


def _advice(workload, known):
    return advised(predict(workload, known.setting, known.planes, known), workload, known)


def _two(**changes):
    return [_job("a", jobs=1, beside=("b",), placement="spread"), _job("b", placement="spread", **changes)]


def test_two_that_fill_the_same_links_have_half_of_them(fabric):
    """Both are bound by the uplinks of their leaves and send nearly all the time: each takes twice as long."""
    found = _predicted(fabric, _two())
    quiet = _predicted(fabric, _two(), is_quiet=True)
    for name, other in (("a", "b"), ("b", "a")):
        terms = found[name].terms
        assert terms["all_to_all_links_us"] > 1.5 * terms["all_to_all_bytes_us"]
        assert found[name].time_us["p50"] == pytest.approx(2 * quiet[name].time_us["p50"], rel=0.01)
        assert terms["all_to_all_sharing_us"] == pytest.approx(terms["all_to_all_links_us"], rel=0.01)
        sharing = found[name].sharing
        assert (sharing.beside, sharing.workload) == ((other,), other)
        assert sharing.wanted == pytest.approx(1, abs=0.01)
        assert sharing.link.startswith("leaf-su01-r0.")
        assert quiet[name].sharing is None
        assert quiet[name].terms["all_to_all_sharing_us"] == 0


def test_two_that_share_no_link_take_what_they_take_alone(fabric):
    """Each under leaves of its own: not a byte of difference, and no link to name."""
    jobs = [_job("a", jobs=1, beside=("b",)), _job("b")]
    found, quiet = _predicted(fabric, jobs), _predicted(fabric, jobs, is_quiet=True)
    for name in ("a", "b"):
        assert found[name].time_us == quiet[name].time_us
        assert found[name].terms == quiet[name].terms
        assert (found[name].sharing.link, found[name].sharing.workload) == (None, None)
        assert set(found[name].sharing.added_us.values()) == {0.0}


@pytest.mark.parametrize("size", [10_000, 100_000, 1_000_000])
def test_a_light_neighbour_costs_at_most_its_part(fabric, size):
    """Between once and twice the links' time, by how much the neighbour sends; terms and quantiles go together."""
    jobs = _two(bytes_per_rank=size)
    found, quiet = _predicted(fabric, jobs)["a"], _predicted(fabric, jobs, is_quiet=True)["a"]
    added_us, links_us = found.terms["all_to_all_sharing_us"], found.terms["all_to_all_links_us"]
    assert 0 < added_us <= links_us
    wanted = found.sharing.wanted
    assert added_us <= links_us * wanted / (1 - min(wanted, 0.5)) * 1.01
    assert found.sharing.added_us["p50"] <= found.sharing.added_us["p99"] <= found.sharing.added_us["p999"]
    assert found.time_us["p50"] == pytest.approx(quiet.time_us["p50"] + added_us, rel=0.02)


def test_requests_at_random_are_always_there(fabric):
    """Receivers busy a fifth of the time: links want no more than that, at every moment."""
    jobs = [_job("a", jobs=1, beside=("b",), placement="spread", bytes_per_rank=100_000)]
    jobs.append(_job("b", placement="spread", pattern="bursts", load=0.2, fan_out=4))
    found = _predicted(fabric, jobs)["a"]
    assert found.sharing.added_us["p50"] == pytest.approx(found.sharing.added_us["p999"])
    assert 0 < found.sharing.wanted <= 0.2


def test_a_short_job_meets_a_long_one_at_work_or_at_rest(fabric):
    """Beside a long all-reduce that is silent for most of its time: some samples meet it, some do not."""
    jobs = [_job("a", jobs=1, beside=("b",), placement="spread", bytes_per_rank=100_000)]
    jobs.append(_job("b", placement="spread", pattern="all_reduce", bytes_per_rank=1_000_000, algorithm="ring"))
    added_us = _predicted(fabric, jobs)["a"].sharing.added_us
    assert added_us["p999"] > added_us["p50"] == 0.0


def test_time_is_that_of_a_loop_over_links(fabric):
    """The fullest link, link by link: its time over what the other leaves, or over a half."""
    jobs = _two(bytes_per_rank=100_000_000)
    setting = _setting(fabric, jobs)
    (mine,), (theirs,) = (carry(each, setting, fabric[1]) for each in jobs)
    sending_us = theirs.time.collided_us / 1.02  # headers: 82 bytes for 4096 (ibta-vol1)
    longest_us = 0.0
    for load, other in zip(mine.loads, theirs.loads, strict=True):
        for way in ("link_up_bytes", "link_down_bytes"):
            rates = load.plane.network.link_gbps * 125
            for own, met, rate in zip(getattr(load.arcs, way), getattr(other.arcs, way), rates, strict=True):
                longest_us = max(longest_us, own / rate / max(0.5, 1 - met / rate / sending_us))
    added_us = longest_us * (1 + 82 / 4096) - mine.time.collided_us
    assert predict(jobs[0], setting, fabric[1]).sharing.added_us["p999"] == pytest.approx(added_us, rel=0.01)


def test_hashed_draws_are_stretched_and_not_counted_twice(fabric):
    """With one queue pair a flow collisions double the links' time; a neighbour that fills them doubles that."""
    jobs = [_job("a", jobs=1, beside=("b",), placement="spread", routing="ecmp", queue_pairs=1)]
    jobs.append(_job("b", placement="spread"))
    found, quiet = _predicted(fabric, jobs)["a"], _predicted(fabric, jobs, is_quiet=True)["a"]
    assert quiet.terms["all_to_all_queueing_us"] > 0
    assert found.terms["all_to_all_queueing_us"] == quiet.terms["all_to_all_queueing_us"]
    for key in ("p50", "p99"):
        assert found.time_us[key] == pytest.approx(2 * quiet.time_us[key], rel=0.02)


def test_names_and_who_is_asked_change_nothing(fabric):
    """Other names in the same order give the same times, and so does naming the other from either side or from both."""
    first = _predicted(fabric, _two())
    renamed = _predicted(fabric, [_job("y", jobs=1, placement="spread"), _job("x", placement="spread", beside=("y",))])
    assert [each.time_us for each in first.values()] == [each.time_us for each in renamed.values()]
    assert first == _predicted(fabric, _two(beside=("a",)))
    assert first["a"] == _predicted(fabric, _two())["a"]


def test_three_at_once_in_any_order_of_names(fabric):
    """Three that fill the links of the one spine left have a third each, however the names are listed."""
    left = _without(fabric, ["spine-01"])
    ranks = {"ranks": 32, "placement": "spread"}
    for names in permutations("bc"):
        jobs = [_job("a", jobs=1, beside=names, **ranks), _job("b", jobs=1, **ranks), _job("c", jobs=1, **ranks)]
        found, quiet = _predicted(fabric, jobs, left), _predicted(fabric, jobs, left, is_quiet=True)
        for name in "abc":
            assert found[name].time_us["p50"] == pytest.approx(3 * quiet[name].time_us["p50"], rel=0.02)


def test_with_a_spine_down_they_meet_on_what_is_left(fabric):
    """Half of the links: both alone and together twice as long; with all spines down nobody has a path."""
    jobs = _two()
    left = _without(fabric, ["spine-01"])
    whole, hurt = _predicted(fabric, jobs)["a"], _predicted(fabric, jobs, left)["a"]
    assert hurt.time_us["p50"] == pytest.approx(2 * whole.time_us["p50"], rel=0.02)
    assert hurt.sharing.workload == "b"
    gone = _predicted(fabric, jobs, _without(fabric, ["spine-01", "spine-02"]))
    assert gone["a"].time_us["p50"] is None


def test_a_job_without_a_path_sends_nothing(fabric):
    """One across the units beside one within a unit: without links between units the other goes on alone."""
    jobs = [_job("a", 8, jobs=1, placement="by_rail"), _job("b", 64, jobs=1, placement="spread", beside=("a",))]
    left = _without(fabric, ["spine-01", "spine-02"])
    found = _predicted(fabric, jobs, left)
    assert found["b"].time_us["p50"] is None
    assert found["a"].sharing.beside == ("b",)
    assert found["a"].sharing.link is None


def test_silence_of_the_others_is_a_remedy(fabric):
    """What would help tells what the others cost; a job that runs alone is told nothing of the kind."""
    jobs = _two()
    setting = _setting(fabric, jobs)
    found = _advice(jobs[0], Known(setting, fabric[1]))
    changes = {each.change: each for each in found.helps}
    quiet = _predicted(fabric, jobs, is_quiet=True)["a"]
    assert changes["b silent meanwhile"].p99_us == pytest.approx(quiet.time_us["p99"])
    assert changes["one more uplink a leaf or router"].delta_us < 0
    alone = _job("c", placement="spread")
    lonely = _setting(fabric, [alone])
    changes = [each.change for each in _advice(alone, Known(lonely, fabric[1])).helps]
    assert not [each for each in changes if "silent" in each]


def test_a_change_of_one_moves_the_others_too(fabric):
    """Packed instead of spread it takes other nodes, and what runs beside it takes those that are left then."""
    jobs = _two()
    setting = _setting(fabric, jobs)
    found = _advice(jobs[0], Known(setting, fabric[1]))
    changes = {each.change: each.p99_us for each in found.helps}
    packed = [_job("a", jobs=1, beside=("b",)), jobs[1]]
    assert changes["ranks placed packed"] == _predicted(fabric, packed)["a"].time_us["p99"]


def test_known_loads_give_the_same_times(fabric):
    """Workloads timed together are carried once each; nothing changes."""
    jobs = _two()
    setting = _setting(fabric, jobs)
    known = Known(setting, fabric[1])
    assert [predict(each, setting, fabric[1], known) for each in jobs] == list(_predicted(fabric, jobs).values())


def test_what_is_known_of_all_advises_each_as_if_it_were_alone(fabric):
    """Every change is carried once for three jobs, also one that moves those beside it; nothing differs."""
    jobs = [_job("a", 32, jobs=1, beside=("b",)), _job("b", 32, placement="spread", beside=("c",))]
    jobs.insert(0, _job("c", 16, jobs=1, placement="spread", pattern="all_reduce"))
    setting = _setting(fabric, jobs)
    shared = Known(setting, fabric[1])
    assert [_advice(each, shared) for each in jobs] == [_advice(each, Known(setting, fabric[1])) for each in jobs]


def test_no_two_moments_of_many_jobs_are_taken_for_one(fabric):
    """Of 70 others every use counts, though 64 bits cannot number what all of them do."""
    (each,) = carry(_two()[0], _setting(fabric, _two()), fabric[1])
    arcs = each.arcs_us.size
    cycles = [Cycle(np.ones(2), np.array([0, 1]), np.outer([0.0, 0.01], np.ones(arcs))) for _ in range(70)]
    uses = np.triu(np.ones((70, 71), dtype=np.int64), 1)
    usual_us, stretched = Worst(each, cycles)(uses)
    assert usual_us.tolist() == [each.loads[0].between_us] * 71
    assert stretched == pytest.approx(1 / (1 - 0.01 * np.arange(71)))


def test_one_of_the_others_that_cannot_be_timed_is_told(fabric):
    """Without constants for it nothing is known of what it does."""
    jobs = _two(stack="pplx-kernels-ibgda")
    with pytest.raises(InputError):
        _predicted(fabric, jobs[:1] + jobs[1:])
