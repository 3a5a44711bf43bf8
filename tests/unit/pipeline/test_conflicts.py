"""Conflicts named by the user's own keys: exactly those, and without any one of them there is a design."""

from __future__ import annotations

import copy
import re
from dataclasses import dataclass, field, replace

import pytest
import yaml

from fabric.catalog.load import load as load_catalog
from fabric.errors import InfeasibleError
from fabric.floorplan.repeat import repeat
from fabric.io import request_file
from fabric.model.request import SwitchChoice
from fabric.pipeline.choosing import ONE_SHAPE
from fabric.pipeline.designing import design
from fabric.pipeline.families import choose
from fabric.pipeline.keys import altered, keys_of, of_racks, resized, with_wider_trays

CATALOG = load_catalog()

HOPPER = {
    "name": "case",
    "accelerator": "hgx-h100",
    "nodes": 64,
    "fabric": {"family": "fat_tree", "link_layer": "infiniband"},
}
"""64 nodes of 8 x 400G: 512 endpoints; 400G InfiniBand switches have 64 ports, so a leaf has 32 down at 1:1."""


@dataclass(frozen=True)
class Case:
    """Keys on top of `HOPPER`, and per key of the conflict expected what to write where so that it asks nothing."""

    request: dict
    loose: dict
    plan: dict | None = None
    says: dict = field(default_factory=dict)


def fabric(**keys):
    """Keys of `fabric`."""
    return {"fabric": HOPPER["fabric"] | keys}


ONE_ROW = {"rows": [{"name": "A", "racks": 20}]}

NARROW = {
    "racks": [
        {"name": "W", "x_m": 0.0, "y_m": 0.0, "use": "node", "nodes": 4},
        {"name": "N", "x_m": 0.6, "y_m": 0.0, "use": "network"},
        {"name": "E", "x_m": 1.2, "y_m": 0.0, "use": "node", "nodes": 4},
    ],
    "trays": {
        "nodes": [
            {"name": f"t{name}", "x_m": x_m, "y_m": 0.0, "z_m": 2.2} for name, x_m in (("W", 0), ("N", 0.6), ("E", 1.2))
        ],
        "segments": [{"a": "tN", "b": name, "width_mm": 4, "depth_mm": 50} for name in ("tW", "tE")],
        "drops": [{"rack": name, "node": f"t{name}"} for name in "WNE"],
    },
}
"""Two racks for nodes, each with a tray of 100 mm² to the network rack between them."""

CASES = {
    # A spine of 64 ports reaches 64 leaves of 32 endpoints: 2,048, those of 256 nodes. A leaf of 33 down has 30 ports
    # of whole cages up, 1.1:1, and reaches 2,112; 34 down and 34 up need 68 ports.
    "ports": Case(
        {"nodes": 257},
        {"nodes": ("nodes", 2)},
        says={"nodes": ("32 x 64 = 2048", "at most 256 do", "fabric.oversubscription 1.1;", "switches of 68 ports")},
    ),
    "oversubscription": Case(
        {"nodes": 257, **fabric(oversubscription=1.0)},
        {"nodes": ("nodes", 2), "fabric.oversubscription": ("fabric.oversubscription", 100)},
        says={"fabric.oversubscription": ("1.1 is the least",)},
    ),
    "growth": Case(
        {"growth_nodes": 300}, {"growth_nodes": ("growth_nodes", 64)}, says={"growth_nodes": ("at most 256 do",)}
    ),
    "unit": Case(
        fabric(unit_nodes=40),
        {"nodes": ("nodes", 2), "fabric.unit_nodes": ("fabric.unit_nodes", "auto")},
        says={"fabric.unit_nodes": ("the nearest that does is 32",)},
    ),
    "rails": Case(
        fabric(rails_per_leaf=3),
        {"nodes": ("nodes", 2), "fabric.rails_per_leaf": ("fabric.rails_per_leaf", "auto")},
        says={"fabric.rails_per_leaf": ("2 or 4",)},
    ),
    # 64 leaves of 8 down ports have 56 ports left for uplinks.
    "min_spines": Case(
        fabric(min_spines=65),
        {"nodes": ("nodes", 2), "fabric.min_spines": ("fabric.min_spines", 2)},
        says={"fabric.min_spines": ("56",)},
    ),
    "parameters": Case(
        fabric(parameters={"spines": 7}),
        {"nodes": ("nodes", 2), "fabric.parameters.spines": ("fabric.parameters", {})},
        says={"fabric.parameters.spines": ("the nearest that does is 8",)},
    ),
    "attached": Case(
        {"nodes": 8, "attached": [{"role": "storage", "count": 1, "ports": 400, "gbps": 400}]},
        {"attached": ("attached", [])},
        says={"attached": ("role storage, count 1, ports 400, gbps 400: ",)},
    ),
    # 65 down take 33 of 64 cages and leave 62 up.
    "switches": Case(
        {
            "accelerator": "hgx-b200",
            "nodes": 1025,
            **fabric(family="fat_tree", link_layer="roce", switches=["nvidia-sn5600"]),
        },
        {"nodes": ("nodes", 2), "fabric.switches": ("fabric.switches", "auto")},
        says={"nodes": ("at most 1024 do", "1.049", "132 ports"), "fabric.switches": ("64 x 128 = 8192",)},
    ),
    "media": Case(
        fabric(media={"node_leaf": ["aec"]}),
        {"fabric.media.node_leaf": ("fabric.media", {})},
        says={"fabric.media.node_leaf": ("aec",)},
    ),
    "spine row": Case(
        {"placement": {"spine": "network_row"}},
        {"nodes": ("nodes", 2), "placement.spine": ("placement", {})},
        plan=ONE_ROW,
    ),
    # A node has 8 U: five to a rack of 42 U. 16 nodes and 10 switches of 1 U need 138 U of 84.
    "racks": Case(
        {"nodes": 16},
        {"nodes": ("nodes", 2), "floorplan.rows": ("floorplan.rows", [{"name": "A", "racks": 20, "units": 42}])},
        plan={"rows": [{"name": "A", "racks": 2, "units": 42}]},
        says={"floorplan.rows": ("2 racks", "racks like these are the fewest that do")},
    ),
    # A node draws 10.2 kW.
    "rack power": Case(
        {"nodes": 16},
        {"floorplan.rows.power_kw": ("floorplan.rows", ONE_ROW["rows"])},
        plan={"rows": [{"name": "A", "racks": 20, "power_kw": 5}]},
        says={"floorplan.rows.power_kw": ("0 by power (5 kW)", "11 kW a rack are the least")},
    ),
    "rack use": Case(
        {"nodes": 16},
        {"floorplan.rows.use": ("floorplan.rows", ONE_ROW["rows"])},
        plan={"rows": [{"name": "A", "racks": 20, "use": "node"}]},
        says={"floorplan.rows.use": ("node",)},
    ),
    # Rubin NVL8 is cooled with liquid.
    "cooling": Case(
        {"accelerator": "rubin-nvl8", "nodes": 16},
        {"floorplan.rows.cooling": ("floorplan.rows", ONE_ROW["rows"])},
        plan={"rows": [{"name": "A", "racks": 20, "cooling": "air"}]},
        says={"floorplan.rows.cooling": ("cooling air", "where a node needs liquid")},
    ),
    # 16 + 8 QM9700 of 32,870 USD.
    "budget": Case(
        {"limits": {"budget_usd": 100_000}, **fabric(switches=["nvidia-qm9700"])},
        {
            "nodes": ("nodes", 2),
            "fabric.switches": ("fabric.switches", "auto"),
            "limits.budget_usd": ("limits", {}),
        },
        says={"limits.budget_usd": ("24 nvidia-qm9700, cost 788,880.00 USD",)},
    ),
    # 16 + 8 Q3400 of 7 kW.
    "power": Case(
        {
            "accelerator": "hgx-b300",
            "nodes": 144,
            "limits": {"power_kw": 100},
            **fabric(switches=["nvidia-q3400-ra"]),
        },
        {
            "nodes": ("nodes", 2),
            "fabric.switches": ("fabric.switches", "auto"),
            "limits.power_kw": ("limits", {}),
        },
        says={"limits.power_kw": ("24 nvidia-q3400-ra, draw 168 kW",)},
    ),
    "part numbers": Case({"limits": {"part_numbers": 1}}, {"limits.part_numbers": ("limits", {})}),
    # One leaf of 8 nodes is a switch and a cable; two tiers take another cable.
    "part numbers of two tiers": Case(
        {"limits": {"part_numbers": 2}},
        {"nodes": ("nodes", 2), "limits.part_numbers": ("limits", {})},
        says={"limits.part_numbers": ("1 of switches and at least 2 of cables and pluggables are 3 numbers",)},
    ),
    "part numbers of one medium": Case(
        {"nodes": 8, "limits": {"part_numbers": 3}, **fabric(media={"node_leaf": ["smf"]})},
        {"fabric.media.node_leaf": ("fabric.media", {}), "limits.part_numbers": ("limits", {})},
    ),
    # Four nodes in each rack for nodes have 32 links of 3.5 mm² at least, half a fibre of 3 mm: 113 mm² of 100.
    "trays": Case(
        {"nodes": 8},
        {
            "nodes": ("nodes", 2),
            "floorplan.racks.use": ("floorplan.racks", [rack | {"use": "any"} for rack in NARROW["racks"]]),
            "floorplan.racks.nodes": ("floorplan.racks", [rack | {"nodes": None} for rack in NARROW["racks"]]),
            "floorplan.trays": ("floorplan.trays", {}),
            "floorplan.racks": ("floorplan.trays", {}),
        },
        plan=NARROW,
        says={
            "nodes": ("at most 7 do",),
            "floorplan.trays": ("at least 4 nodes stand behind", "trays 1.2 times as wide are the least that do"),
        },
    ),
}


@pytest.fixture
def ask(tmp_path):
    """Loads a request, with its floor plan if it has one."""

    def load(request, plan):
        body = {key: value for key, value in request.items() if value is not None}
        (tmp_path / "request.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
        if plan is not None:
            (tmp_path / "floorplan.yaml").write_text(yaml.safe_dump(plan), encoding="utf-8")
        return request_file.load(tmp_path, CATALOG)

    return load


def changed(request, plan, path, value):
    """Request and plan with another value at a dotted path."""
    request, plan = copy.deepcopy(request), copy.deepcopy(plan)
    *names, last = path.removeprefix("floorplan.").split(".")
    record = plan if path.startswith("floorplan.") else request
    for name in names:
        record = record[name]
    record[last] = value
    return request, plan


SLOW = {"switches", "switches a rack"}
"""Cases of more than 8,000 endpoints, or with several whole searches that end unproved."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in CASES])
def test_without_any_one_key_of_the_conflict_there_is_a_design(ask, name):
    """The conflict has the expected keys, each with the user's value and its arithmetic; it is minimal."""
    case = CASES[name]
    request = HOPPER | case.request
    with pytest.raises(InfeasibleError) as error:
        design(ask(request, case.plan), CATALOG)
    conflict = {each.key: each for each in error.value.conflict}
    assert list(conflict) == list(case.loose)
    for key, words in case.says.items():
        for word in words:
            assert word in str(conflict[key])
    for path, value in case.loose.values():
        assert choose(ask(*changed(request, case.plan, path, value)), CATALOG, ONE_SHAPE).choice.outcome.result


def test_keys_that_have_no_part_in_a_conflict_are_not_named(ask):
    """Media, a policy, a plan with room and a budget beyond any need stand beside a unit that no leaf holds."""
    request = HOPPER | fabric(unit_nodes=40, media={"leaf_spine": ["mmf"]}, min_spines=4)
    request |= {"placement": {"leaf": "network_rack"}, "limits": {"budget_usd": 1e9}, "spare_nodes": 2}
    with pytest.raises(InfeasibleError) as error:
        design(ask(request, ONE_ROW), CATALOG)
    assert [each.key for each in error.value.conflict] == ["nodes", "fabric.unit_nodes"]


def test_a_conflict_is_the_same_each_time(ask):
    """The filter tries keys in one order."""
    errors = []
    for _ in range(2):
        with pytest.raises(InfeasibleError) as error:
            design(ask(HOPPER | CASES["racks"].request, CASES["racks"].plan), CATALOG)
        errors.append(error.value.conflict)
    assert errors[0] == errors[1]


MORE = {
    "budget and power": (
        {"limits": {"budget_usd": 500_000, "power_kw": 10}, **fabric(switches=["nvidia-qm9700"])},
        None,
    ),
    "two policies": ({"nodes": 32, "placement": {"leaf": "network_rack", "spine": "network_row"}}, ONE_ROW),
    "planned node": (
        {"nodes": 16, "planning": {"node_kw": 30.0}},
        {"rows": [{"name": "A", "racks": 40, "power_kw": 22}]},
    ),
    "media and slack": (
        fabric(media={"node_leaf": ["dac"], "leaf_spine": ["dac"]}),
        {**ONE_ROW, "slack_per_end_m": 3},
    ),
    "accelerators": ({"nodes": None, "accelerators": 2400}, None),
    "spare": ({"nodes": 250, "spare_nodes": 10}, None),
    "switches a rack": ({"placement": {"max_switches_per_rack": 1}}, ONE_ROW),
}
"""Requests with a second contradiction besides, or a hint that the other cases do not give."""

ASKED = {name: (case.request, case.plan) for name, case in CASES.items()} | MORE


def deleted(request, plan, key):
    """Request and plan without a key that somebody wrote."""
    request, plan = copy.deepcopy(request), copy.deepcopy(plan)
    place, *names = key.split(".")
    record = plan if place == "floorplan" else request
    names = names if place == "floorplan" else [place, *names]
    for name in names[:-1]:
        record = record[name]
    for each in record if isinstance(record, list) else [record]:
        each.pop(names[-1], None)
    return request, plan


def numbers(text):
    """The numbers of a list of alternatives."""
    return [float(number) if "." in number else int(number) for number in text.split(" or ")]


WORDS = {
    r"at most ([\d.]+) (?:kW )?do\b": altered,
    r"at most (\d+) nodes do\b": lambda asked, _, value: resized(asked, value),
    r"with (\d+) (?:nodes )?there is a design": lambda asked, key, value: (
        resized(asked, value) if key in {"nodes", "accelerators"} else altered(asked, key, value)
    ),
    r"count ([\d.]+) is the least that does": lambda asked, _, value: altered(
        asked, "fabric.oversubscription", float(value)
    ),
    r"the nearest that does is ([\d or]+)": altered,
    r"count (\d+) kW a rack": lambda asked, _, value: of_racks(asked, "power_kw", float(value)),
    r"count (\d+) racks like these": lambda asked, _, value: with_racks(asked, value),
    r"trays ([\d.]+) times as wide": lambda asked, _, value: with_wider_trays(asked, value),
    r"or fabric.oversubscription ([\d.]+)": lambda asked, _, value: altered(
        asked, "fabric.oversubscription", float(value)
    ),
}
"""How each hint is said, and the request that follows it."""


def with_racks(asked, count):
    """The request on so many racks like those of its plan."""
    plan = asked.floor_plan
    more = repeat(plan, -(-count // len(plan.all_racks)))
    return replace(asked, floor_plan=more.model_copy(update={"racks": more.racks[:count]}))


def followed(asked, written, source, each):
    """Every request that a conflict of `asked` says has a design."""
    arithmetic, _, besides = each.arithmetic.partition(", if asked ")
    for key in keys_of(asked, CATALOG):
        if key.absent in re.split(" and |; ", besides):
            asked = key.drop(asked)
    found = [
        change(asked, each.key, value)
        for words, change in WORDS.items()
        for said in re.findall(words, each.arithmetic)
        for value in numbers(said)
    ]
    large = [SwitchChoice(leaf=(part,), spine=(part,)) for part in re.findall(r"as (\S+) has with", arithmetic)]
    found += [altered(asked, "fabric.switches", choice) for choice in large]
    if re.search(r"without it .* would do", arithmetic):
        loaded = written(*deleted(*source, each.key)) if not besides else None
        found.append(loaded or next(key for key in keys_of(asked, CATALOG) if key.name == each.key).drop(asked))
    elif "would do" in arithmetic:
        found.append(next(key for key in keys_of(asked, CATALOG) if key.name == each.key).drop(asked))
    return found


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.slow] * (name in SLOW)) for name in ASKED])
def test_every_hint_holds_for_the_users_own_request(ask, name):
    """Change what the hint names, and nothing else: there is a design. Every conflict gives a hint, or says none."""
    request, plan = HOPPER | ASKED[name][0], ASKED[name][1]
    loaded = ask(request, plan)
    with pytest.raises(InfeasibleError) as error:
        design(loaded, CATALOG)
    for each in error.value.conflict:
        found = followed(loaded, ask, (request, plan), each)
        assert found or "nothing proves that there is no design" in each.arithmetic, str(each)
        for asked in found:
            assert choose(asked, CATALOG, ONE_SHAPE).choice.outcome.result, str(each)


def test_a_second_contradiction_is_named_with_the_hint(ask):
    """A row of racks for anything has no network rack for leaves, and as little a network row for spines."""
    with pytest.raises(InfeasibleError) as error:
        design(ask(HOPPER | MORE["two policies"][0], ONE_ROW), CATALOG)
    (only,) = error.value.conflict
    assert (only.key, only.arithmetic.endswith("would do, if asked without placement.spine")) == (
        "placement.leaf",
        True,
    )
