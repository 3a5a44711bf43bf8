"""Numbers quoted in docs/models.md, computed again from the catalog and the formulas."""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter

import numpy as np
import pytest
from scipy.special import ndtri

from fabric import yaml_file
from fabric.catalog.load import Catalog
from fabric.flow.bounds import upper_bounds
from fabric.flow.hash_ways import Seeds
from fabric.flow.hashing import expected_fullest, fullest_plane
from fabric.flow.link_load import bottleneck, even_load
from fabric.flow.offered import Offered
from fabric.flow.permutation import permutations
from fabric.flow.sampling import PROBABILITIES, rank_probability
from fabric.flow.sharing import Cycle, fair_share, lasting_us, moments
from fabric.flow.spreading import Even, Hashed, Tables, Way, carry
from fabric.flow.throughput import uniform_demand, uniform_throughput
from fabric.flow.throughput_lp import Status, throughput_lp
from fabric.lossless.credits import credit_bytes, reach_m
from fabric.lossless.ecn import grades, marking
from fabric.lossless.pfc_headroom import headroom
from fabric.model.network import Network
from fabric.model.paths import Routes
from fabric.pipeline.settings import credit_chip_of, ecn_profile_of
from fabric.routing import dragonfly_minimal, torus_dimension_order, up_down
from fabric.routing._tables import local_tables, tree_tables
from fabric.traffic.routing import ExpertRouting, expected_domains
from fabric.units import bytes_per_us

MTU_BYTES = 9216
# Packets that a published table assumes, where they are not the catalog's; as in the reference test of headroom.
PACKETS = {
    "default": {},
    "short": {"small_packet_pct": 100.0, "lossless_mtu_bytes": 1024},
    "half_of_bytes": {"small_packet_pct": 100 * (4096 - 128) / (4096 - 64)},
}


@pytest.fixture(scope="module")
def tables(page):
    """Function from a heading of the page to the rows of its table."""
    return page("docs/models.md").table


def test_headroom_against_published_tables(tables, root, catalog):
    """Rows, exact rows and largest residual of every chip with reference rows."""
    residuals: dict[str, list[int]] = {}
    for row in csv.DictReader((root / "tests/reference/pfc_headroom_rows.csv").read_text().splitlines()):
        chip = catalog.chips[row["chip"]].model_copy(update=PACKETS[row["packets"]])
        found = headroom(chip, int(row["rate_gbps"]), int(row["cable_m"])).xoff_bytes
        residuals.setdefault(row["chip"], []).append(int(row["xoff_bytes"]) - found)
    assert {
        chip: (catalog.chips[chip].law, len(some), some.count(0), max(some, key=abs))
        for chip, some in residuals.items()
    } == {
        chip: (law, int(rows), int(exact), int(largest))
        for chip, law, rows, exact, largest, _ in tables("Headroom against published tables")
    }


def test_headroom_per_chip(tables, catalog):
    """XOFF at both rates and three lengths; chips that are left out follow the generic floor."""
    rows = tables("Headroom per chip")
    for chip, law, *quoted in rows:
        buffer = catalog.chips[chip]
        found = [headroom(buffer, rate, m, mtu_bytes=MTU_BYTES).xoff_bytes for rate in (400, 800) for m in (5, 30, 100)]
        assert (buffer.law, found) == (law, list(map(int, quoted)))
    left_out = catalog.chips.keys() - {row[0] for row in rows}
    assert {catalog.chips[chip].law for chip in left_out} == {"generic"}


def test_ecn_per_chip(tables, catalog):
    """Thresholds and grades of every chip whose pool is known."""
    rows = tables("ECN per chip")
    for chip, profile, *quoted in rows:
        buffer = catalog.chips[chip]
        marks = marking(ecn_profile_of(chip, catalog), 400, buffer.cell_bytes)
        grade = grades(marks, buffer.shared_pool_bytes, buffer.dynamic_th, ports_count=64, priorities_count=1)
        words = ["yes" if kept else "no" for kept in (grade.must, grade.should, grade.strict)]
        found = [marks.kmin_bytes, marks.kmax_bytes, round(marks.pmax_pct), round(grade.pause_bytes)]
        assert (marks.profile, [*map(str, found), *words]) == (profile, quoted)
    pools = {key for key, chip in catalog.chips.items() if chip.lossless_pool_bytes is not None}
    assert {row[0] for row in rows} == pools


@pytest.mark.parametrize("switch", ["nvidia-qm9700", "nvidia-q3400-ra"])
def test_credit_per_lane(tables, catalog, switch):
    """Credit at three lengths and the reach of the credit limit, alike for both generations."""
    chip = credit_chip_of(switch, catalog)
    for rate, *quoted in tables("Credit per lane"):
        credits_bytes = [str(credit_bytes(chip, int(rate), m)) for m in (3, 30, 100)]
        assert [*credits_bytes, f"{reach_m(chip, int(rate)):.1f}"] == quoted


def _routing(catalog: Catalog) -> ExpertRouting:
    model = catalog.moe_models["deepseek-v3"]
    return ExpertRouting(model.routed_experts, model.top_k, model.n_group or 1, model.topk_group or 1)


def test_distinct_domains(tables, catalog):
    """Expected domains of a token with and without DeepSeek-V3's limit on groups."""
    for domains, *quoted in tables("Distinct domains"):
        both = (ExpertRouting(256, 8), _routing(catalog))
        assert [f"{expected_domains(each, int(domains)):.3f}" for each in both] == quoted


def test_time_beside_another_job(tables):
    """Bytes that take 100 us alone, begun at a thousand moments of the other job's cycle."""
    for wanted, share, ratio, *quoted in tables("Time beside another job"):
        sends, period_us = int(share.removesuffix("%")) / 100, 100 * float(ratio)
        states = [(sends * period_us, 1), *([((1 - sends) * period_us, 0)] if sends < 1 else [])]
        lasts_us, use = (np.array(each) for each in zip(*states, strict=True))
        other = Cycle(lasts_us, use, np.array([[0.0], [float(wanted)]]))
        begin_us = moments([other], 1000, 1)

        def whole_us(uses, _, wishes=other.wanted[:, 0]):
            return 100 / fair_share(wishes[uses].reshape(1, -1)).reshape(uses.shape[1:])

        found = lasting_us([other], begin_us, whole_us)
        assert [f"{np.quantile(found, q):.1f}" for q in (0.5, 0.99)] == quoted


def test_flows_hashed_to_links(tables):
    """Expected fullest link and mean over fullest."""
    for flows, links, *quoted in tables("Flows hashed to links"):
        n, m = int(flows), int(links)
        fullest = expected_fullest(n, m)
        assert [f"{fullest:.3f}", f"{n / m / fullest:.3f}"] == quoted


def test_planes_of_a_port(tables):
    """Expected fullest plane of one port over the mean, and the median of the fullest of 256 ports."""
    for flows, planes, *quoted in tables("Planes of a port"):
        n, k = int(flows), int(planes)
        fullest = np.median(fullest_plane(np.full(256, n), np.ones((256, k)), 1000, 1))
        assert [f"{expected_fullest(n, k) * k / n:.3f}", f"{fullest * k / n:.3f}"] == quoted


def _all_to_all(plane: Network) -> Offered:
    """Every endpoint sends one byte to every other."""
    below = np.bincount(plane.endpoint_switch, minlength=plane.edge_count)
    pairs = np.outer(below, below) - np.diag(below)
    each = np.full(plane.endpoint_switch.size, plane.endpoint_switch.size - 1.0)
    return Offered(pairs * 1.0, each, each, pairs)


def _links(plane: Network, way: Way) -> np.ndarray:
    """Expected load of every link, up and then down."""
    load = carry(plane, up_down.routes(plane), _all_to_all(plane), way).load
    return np.concatenate([load.link_up_bytes, load.link_down_bytes])


def test_one_hash_seed_for_all_switches(pods, tables):
    """Cores that the second hash reaches, and what the fullest link to one carries."""
    for *numbers, reached, quoted in tables("One hash seed for all switches"):
        spines, cores = map(int, numbers)
        plane = pods(2, 4, spines, cores, 16)
        to_core = np.flatnonzero(plane.tier[plane.link_a] == 1)
        alike, even = (_links(plane, way)[to_core] for way in (Hashed(1, 1, Seeds.SHARED), Even()))
        assert set((alike > 0).reshape(-1, cores).sum(axis=1).tolist()) == {int(reached)}
        assert f"{alike.max() / even.max():.2f}" == quoted


def test_fullest_link_under_forwarding_tables(leaf_spine, tables):
    """Both of OpenSM's rules over an even spread."""
    for *numbers, local, chains in tables("Fullest link under forwarding tables"):
        plane = leaf_spine(*map(int, numbers))
        even = _links(plane, Even()).max()
        found = [
            _links(plane, Tables(make(plane, up_down.routes(plane)))).max() for make in (local_tables, tree_tables)
        ]
        assert [f"{fullest / even:.3f}" for fullest in found] == [local, chains]


def _theta(plane: Network) -> str:
    """Uniform throughput under up/down routing."""
    return f"{uniform_throughput(plane, up_down.routes(plane)).theta:.4f}"


def test_theta_of_leaf_spine_planes(leaf_spine, tables):
    """Computed from the load of every link, and the closed form."""
    for *numbers, quoted in tables("Theta of leaf-spine planes"):
        l, p, u = map(int, numbers)  # noqa: E741 -- the page's symbols
        assert _theta(leaf_spine(l, p, u)) == quoted
        assert float(quoted) == pytest.approx(min(1, u * (p * l - 1) / (p**2 * (l - 1))), abs=5e-5)


def _between_switches(plane: Network, routes: Routes, traffic: str) -> list[str]:
    """Achieved, best and bounds of a demand, where links of endpoints do not count."""
    tried = permutations(plane, routes, is_adaptive=False)
    offered = (
        uniform_demand(plane) if traffic == "uniform" else next(one.offered for one in tried if one.name == traffic)
    )
    idle = np.zeros(plane.endpoint_switch.size)
    achieved = 1 / bottleneck(plane, even_load(plane, routes, offered.pair_bytes, idle, idle)).time_us
    best = throughput_lp(plane, offered.pair_bytes / bytes_per_us(1.0))
    assert best is not None
    assert best.status is Status.OPTIMAL
    bounds = upper_bounds(plane, offered)
    figures = [achieved, best.bound, bounds["hops"], bounds["uplinks"], bounds["bisection"]]
    assert achieved <= best.bound * (1 + 1e-6) <= min(figures[2:]) * (1 + 3e-6)
    return [f"{figure:.4f}" for figure in figures]


def test_throughput_between_switches(leaf_spine, dragonfly, torus, tables):
    """Every row computed again; the published figures of the dragonfly are in it."""
    for fabric, traffic, *quoted in tables("Throughput between switches"):
        numbers = [int(number) for number in re.findall(r"\d+", fabric)]
        family = fabric.split()[0]
        if family == "dragonfly":
            plane, scheme = dragonfly(*numbers), dragonfly_minimal
        elif family == "torus":
            plane, scheme = torus(*numbers), torus_dimension_order
        else:
            plane, scheme = leaf_spine(*numbers), up_down
        assert (fabric, _between_switches(plane, scheme.routes(plane), traffic)) == (fabric, quoted)


def test_one_link_or_one_spine_down(leaf_spine, tables):
    """The same plane with fewer and thicker trunks."""
    everybody = np.zeros(16 * 64, dtype=bool)
    for spines, trunk, *quoted in tables("One link or one spine down"):
        plane = leaf_spine(16, 64, 64, int(spines))
        without_link = plane.without(everybody, np.arange(plane.link_a.size) == 0)
        without_spine = plane.without(everybody, plane.link_b == plane.edge_count)
        assert int(trunk) * int(spines) == 64
        assert [_theta(each) for each in (plane, without_link, without_spine)] == quoted


def test_slowest_of_ranks(tables):
    """Quantiles of the maximum, and the chance of one late rank."""
    for ranks, *quoted in tables("Slowest of R ranks"):
        met = rank_probability(np.array(list(PROBABILITIES.values())), int(ranks))
        times = [f"{time_us:.1f}" for time_us in (100 + 3 * ndtri(met)).tolist()]
        assert [f"{1 - 0.99 ** int(ranks):.3f}", *times] == quoted


def test_classes_of_planning_prices(tables, catalog):
    """Every class with its price, and no other."""
    classes = {
        (name, kind.split(",")[0]): (float(usd), float(per_m))
        for name, kind, usd, per_m in tables("Classes of planning prices")
    }
    assert classes == {
        (name, kind): (price.usd, price.usd_per_m)
        for kind in ("switches", "assemblies", "modules", "fibres")
        for name, price in getattr(catalog.planning_prices, kind).items()
    }


def test_planning_values_of_the_examples(tables, root, catalog):
    """Every stand-in of the switches, systems and attached devices of the shipped examples, and no other."""
    used = set()
    for path in sorted((root / "designs").glob("*/request.yaml")):
        asked = yaml_file.load(path, str(path)).data
        used.add(("systems", asked["accelerator"]))
        used.update(("switches", key) for key in asked["fabric"]["switches"])
        used.update(("systems", f"generic-endpoint-{item['gbps']}g") for item in asked.get("attached", ()))
    assert sorted(map(tuple, tables("Planning values in use"))) == sorted(
        (key, figure, str(value.value), value.reason)
        for kind, key in used
        for figure, value in getattr(catalog, kind)[key].planning.items()
    )


def test_planning_values_of_pluggables_and_cables(tables, catalog):
    """Every class of stand-ins with the number of parts that take it."""
    count = Counter(
        (kind, figure, str(value.value), value.reason)
        for kind in ("cables", "transceivers")
        for part in getattr(catalog, kind).values()
        for figure, value in part.planning.items()
    )
    rows = tables("Planning values of pluggables and cables")
    assert {(kind, figure, value, reason): int(parts) for kind, figure, value, parts, reason in rows} == count


def test_vendors_lengths_that_are_checked(page, root):
    """The number of Oracle's rows that the page quotes is the number that the reference test holds."""
    module = ast.parse((root / "tests/reference/test_cable_lengths.py").read_text(encoding="utf-8"))
    values = {
        statement.targets[0].id: statement.value for statement in module.body if isinstance(statement, ast.Assign)
    }
    lengths = [ast.literal_eval(values[name]) for name in ("EIGHT_RACKS", "FOUR_RACKS")]
    rows = sum(len(each) for table in lengths for each in table.values())
    assert f"Check: {rows} lengths" in page("docs/models.md").text


def test_link_layers(tables, catalog):
    """Ends, hop, the link in it, and the span of what was published [us]."""
    layers = [catalog.link_layers[key] for key in ("infiniband", "ethernet")]
    assert tables("Link layers") == [
        [
            each.name,
            f"{each.ends_ns / 1000:.2f}",
            f"{each.hop_ns / 1000:.2f}",
            f"{each.link_ns / 1000:.3f}",
            f"{each.least_hop_ns / 1000:.2f} to {each.most_hop_ns / 1000:.2f}",
        ]
        for each in layers
    ]
