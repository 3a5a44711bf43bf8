"""Sizes of two-tier fat-trees: our listings and search against CP-SAT on the same problem, equal optima required.

Catalogues are drawn: up to nine models of up to 512 ports, with prices of their own. Each case asks one plane of nodes
with one port. The cheapest leaves, spines and links are found as for a design, by the search over listings, with a
bound that is exact; and by a model whose variables are the models, down ports, spines and the trunk. The ratio of the
total CPU times is printed; a different optimum raises.
"""

from __future__ import annotations

import gc
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ortools.sat.python import cp_model

from fabric.catalog import load as catalog_file
from fabric.catalog.load import Catalog
from fabric.errors import FabricError
from fabric.layout.search import search
from fabric.layout.waiting import Bounds, Value
from fabric.model.outline import Outline
from fabric.model.request import Request
from fabric.model.tree_shape import FatTreeShape
from fabric.topology import fat_tree
from fabric.topology.size import resolve

CASES_COUNT = 30
MOST_PORTS, MOST_MODELS, MOST_ENDPOINTS = 512, 9, 100_000
GBPS = 400
LANES_PER_PORT = 4
BASE = "nvidia-qm9700"
"""Model of which drawn ones are copies but for cages, ports and price."""

MIN_SPINES = 2


@dataclass(frozen=True, slots=True)
class Model:
    """A drawn switch: cages, ports of a cage, and price in whole units."""

    cages: int
    per_cage: int
    price: int


@dataclass(frozen=True, slots=True)
class Sizing:
    """Endpoints to serve by drawn models at an oversubscription, and the price of a leaf-spine link."""

    endpoints: int
    oversubscription: int
    models: tuple[Model, ...]
    link_price: int


def draw(rng: random.Random) -> Sizing:
    """A random problem; small and large ones are equally likely on a scale of powers."""
    models = []
    for _ in range(rng.randint(1, MOST_MODELS)):
        per_cage = rng.choice((1, 2))
        cages = rng.choice((16, 32, 48, 64, 72, 128, 256, 512)) // per_cage
        models.append(Model(cages, per_cage, rng.randint(cages * per_cage // 2, 3 * cages * per_cage)))
    endpoints = round(64 * (MOST_ENDPOINTS / 64) ** rng.random())
    return Sizing(endpoints, rng.choice((1, 2, 3)), tuple(models), rng.randint(0, 4))


def cases(count: int = CASES_COUNT, seed: int = 1) -> Iterator[Sizing]:
    """So many problems, the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 -- a benchmark's dice
    return (draw(rng) for _ in range(count))


def catalog_of(sizing: Sizing, shipped: Catalog) -> Catalog:
    """The shipped catalog with the drawn models as its only switches."""
    base = shipped.switches[BASE]
    switches = {}
    for index, model in enumerate(sizing.models):
        cages = base.cages.model_copy(update={"count": model.cages, "lanes": LANES_PER_PORT * model.per_cage})
        ports = {GBPS: model.cages * model.per_cage}
        switches[f"m{index}"] = base.model_copy(update={"cages": cages, "ports_by_speed_gbps": ports})
    return replace(shipped, switches=switches)


def request_of(sizing: Sizing) -> Request:
    """One plane of nodes with one port each."""
    fabric = {
        "family": "fat_tree",
        "link_layer": "infiniband",
        "wiring": "rack",
        "node_ports": 1,
        "node_port_gbps": GBPS,
        "min_spines": MIN_SPINES,
        "oversubscription": sizing.oversubscription,
    }
    asked = {"name": "sizing", "accelerator": "hgx-h100", "nodes": sizing.endpoints, "fabric": fabric}
    return Request.model_validate_json(json.dumps(asked))


def searched(sizing: Sizing, request: Request, catalog: Catalog) -> int | None:
    """Price of the cheapest shape; None where no shape holds the endpoints."""
    price = {f"m{index}": model.price for index, model in enumerate(sizing.models)}

    def priced(shape: FatTreeShape | Outline) -> Value:
        leaves = price[shape.leaf_part] * shape.leaves_total
        spines = price[shape.spine_part] * shape.spines_total if shape.spine_part else 0
        return (leaves + spines + sizing.link_price * shape.uplinks_total,)

    try:
        listings = fat_tree.listings(request, resolve(request, catalog), catalog)
    except FabricError:
        return None
    return search(listings, Bounds(priced), lambda shape: (priced(shape), priced(shape), shape)).value[0]


def solved(sizing: Sizing) -> int | None:
    """The same by CP-SAT: one switch if one is enough, else the cheaper of that and two tiers."""
    ports = [model.cages * model.per_cage for model in sizing.models]
    single = [model.price for model, count in zip(sizing.models, ports, strict=True) if count >= sizing.endpoints]
    found = [*single, *_two_tiers(sizing, max(ports))]
    return min(found, default=None)


def _two_tiers(sizing: Sizing, most: int) -> Iterator[int]:
    """The least price of two tiers, if any hold the endpoints.

    d <= oversubscription u,  u = S t,  cages of d and of u within the leaf's,  L d >= N,  L t <= ports of the spine;
    minimise L leaf price + S spine price + L u link price.
    """
    model, whole = cp_model.CpModel(), sizing.models
    leaf, spine = (_one_of(model, whole, name) for name in ("leaf", "spine"))
    down, up, trunk, spines, leaves = (
        model.new_int_var(low, most, name) for name, low in (("d", 1), ("u", 1), ("t", 1), ("S", MIN_SPINES), ("L", 1))
    )
    down_cages, up_cages = model.new_int_var(1, most, "dc"), model.new_int_var(1, most, "uc")
    model.add(down <= sizing.oversubscription * up)
    model.add(down_cages + up_cages <= leaf.cages)
    model.add(_product(model, down_cages, leaf.per_cage, most) >= down)
    model.add(_product(model, up_cages, leaf.per_cage, most) >= up)
    model.add_multiplication_equality(up, [spines, trunk])
    model.add(_product(model, leaves, down, most * most) >= sizing.endpoints)
    model.add(_product(model, leaves, trunk, most * most) <= _product(model, spine.cages, spine.per_cage, most))
    dearest = max(each.price for each in whole)
    cost = _product(model, leaves, leaf.price, most * dearest) + _product(model, spines, spine.price, most * dearest)
    model.minimize(cost + sizing.link_price * _product(model, leaves, up, most * most))
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    status = solver.solve(model)
    if status == cp_model.OPTIMAL:
        yield round(solver.objective_value)
    elif status != cp_model.INFEASIBLE:
        raise ArithmeticError(f"CP-SAT ended with {solver.status_name(status)}")


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Figures of the model chosen for a tier."""

    cages: cp_model.IntVar
    per_cage: cp_model.IntVar
    price: cp_model.IntVar


def _one_of(model: cp_model.CpModel, choices: Sequence[Model], name: str) -> _Chosen:
    index = model.new_int_var(0, len(choices) - 1, name)

    def figure(field: str) -> cp_model.IntVar:
        values = [getattr(each, field) for each in choices]
        variable = model.new_int_var(min(values), max(values), f"{name}.{field}")
        model.add_element(index, values, variable)
        return variable

    return _Chosen(figure("cages"), figure("per_cage"), figure("price"))


def _product(model: cp_model.CpModel, a: cp_model.IntVar, b: cp_model.IntVar, most: int) -> cp_model.IntVar:
    product = model.new_int_var(0, most, f"{a.name}*{b.name}")
    model.add_multiplication_equality(product, [a, b])
    return product


def compare(problems: Sequence[Sizing], shipped: Catalog) -> tuple[float, float, int]:
    """Total CPU times [s] of the search and of CP-SAT over the problems, and how many of these have an answer.

    No garbage is collected meanwhile: most of it is what the drawn catalogues leave behind.

    Raises:
        ArithmeticError: the optima of a problem differ.
    """
    ours_s = theirs_s = 0.0
    answered = 0
    for sizing in problems:
        request, catalog = request_of(sizing), catalog_of(sizing, shipped)
        gc.disable()
        begin_s = time.process_time()
        ours = searched(sizing, request, catalog)
        between_s = time.process_time()
        theirs = solved(sizing)
        end_s = time.process_time()
        gc.enable()
        ours_s += between_s - begin_s
        theirs_s += end_s - between_s
        answered += ours is not None
        if ours != theirs:
            raise ArithmeticError(f"{ours} by the search, {theirs} by CP-SAT for {sizing}")
    return ours_s, theirs_s, answered


def bench(say: Callable[[str], None]) -> None:
    """Compare the shipped cases and say it."""
    ours_s, theirs_s, answered = compare(tuple(cases()), catalog_file.load())
    say(f"sizing: {CASES_COUNT} problems, {answered} with an answer, equal optima; the search {ours_s:.2f} s in all")
    say(f"        CP-SAT takes {theirs_s / ours_s:.1f} times as long")


if __name__ == "__main__":
    bench(print)
