"""Floor plan for a request without one: racks of nodes in rows, and network racks where its policy wants switches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import chain, groupby
from itertools import count as count_from
from typing import Literal

from fabric.errors import Conflict, Fault, InfeasibleError, InputError
from fabric.floorplan import hall
from fabric.model.floorplan import FixedPlace, FloorPlan, Rack
from fabric.model.placement import DeviceSpace, NodeHousing
from fabric.model.request import PlacementPolicy


def generate(
    node_count: int,
    housing: NodeHousing,
    leaves: Sequence[DeviceSpace],
    spines: Sequence[DeviceSpace] = (),
    others: Sequence[DeviceSpace] = (),
    policy: PlacementPolicy | None = None,
) -> FloorPlan:
    """The floor plan of a new hall that holds the fabric at its full size, with racks where the policy wants switches.

    Args:
        node_count: nodes with spares and growth.
        housing: how nodes stand in racks.
        leaves: what each leaf needs.
        spines: what each spine needs.
        others: what each attached device needs.
        policy: where switches may stand; leaves in their own racks take room from the nodes.

    Raises:
        InfeasibleError: a node is too large for any rack of the generated kind.
        InputError: nodes of a whole-rack system that fill no whole number of racks.
    """
    policy = policy or PlacementPolicy()
    most = hall.RACK_UNITS_COUNT if policy.max_switches_per_rack == "auto" else policy.max_switches_per_rack
    fewest = 2 if policy.spine == "spread" and len(spines) > 1 else 0
    with_nodes = leaves if policy.leaf == "own_rack" and not housing.whole_rack else ()
    node_racks = _node_racks(node_count, housing, with_nodes, most)
    apart = () if with_nodes else leaves
    outermost = policy.leaf == "row_end"
    if policy.spine != "network_row":
        shared = _network_racks([*apart, *spines], others, most, fewest)
        rows = _rows(node_racks, shared, outermost=outermost)
    elif policy.leaf in ("row_middle", "row_end"):
        rows = _rows(node_racks, _network_racks(apart, others, most), outermost=outermost)
        rows = _around(rows, _rows([], _network_racks(spines, others, most)))
    else:
        rows = _around(_rows(node_racks, []), _rows([], _network_racks([*apart, *spines], others, most)))
    return _hall(rows)


def without(plan: FloorPlan, names: Collection[str]) -> FloorPlan:
    """A generated plan without the racks called `names`: their rows close up, and racks take new names."""
    rows = groupby((rack for rack in plan.racks if rack.name not in names), key=lambda rack: rack.row)
    return _hall([list(row) for _, row in rows])


def _hall(rows: Iterable[list[Rack]]) -> FloorPlan:
    return FloorPlan(racks=tuple(chain.from_iterable(_stand(row, i) for i, row in enumerate(filter(None, rows)))))


def _around(rows: Sequence[list[Rack]], middle: Sequence[list[Rack]]) -> list[list[Rack]]:
    half = (len(rows) + 1) // 2
    return [*rows[:half], *middle, *rows[half:]]


def _node_racks(
    node_count: int, housing: NodeHousing, switches: Sequence[DeviceSpace], most_switches: int
) -> list[Rack]:
    if housing.whole_rack:
        return _whole_racks(node_count, housing)
    fitting = _fitting(housing.space, [])
    if fitting < 1:
        raise InfeasibleError(conflict=(_too_large(housing.space),))
    per_rack = min(housing.per_rack or hall.RACK_UNITS_COUNT, fitting)
    while per_rack > 1 and not _leaves_room(node_count, per_rack, housing.space, switches, most_switches):
        per_rack -= 1
    return [_rack(nodes=per_rack)] * -(-node_count // per_rack)


def _leaves_room(
    node_count: int, per_rack: int, node: DeviceSpace, switches: Sequence[DeviceSpace], most_switches: int
) -> bool:
    """Whether so many nodes per rack leave an equal share of the switches room beside them."""
    if not switches:
        return True
    share = -(-len(switches) // -(-node_count // per_rack))
    return share <= most_switches and _fitting(node, [_largest(switches)] * share) >= per_rack


def _fitting(device: DeviceSpace, beside: Sequence[DeviceSpace]) -> int:
    """Devices of one kind that fit an ordinary rack beside others, by units and by power."""
    units = hall.RACK_UNITS_COUNT - sum(other.units for other in beside)
    power_w = 1000 * hall.RACK_POWER_KW - sum(other.power_w for other in beside)
    by_power = int(power_w / device.power_w + 1e-9) if device.power_w else units
    return max(0, min(units // device.units, by_power))


def _whole_racks(node_count: int, housing: NodeHousing) -> list[Rack]:
    per_rack = housing.per_rack or len(housing.first_u)
    if node_count % per_rack:
        below, above = node_count // per_rack * per_rack, -(-node_count // per_rack) * per_rack
        nearest = f"{below} or {above}" if below else str(above)
        raise InputError(
            Fault(f"{node_count} is no whole number of racks of {per_rack}; nearest: {nearest}", key="nodes")
        )
    rack = _rack(
        use="node",
        nodes=per_rack,
        power_kw=(housing.rack_power_w or per_rack * housing.space.power_w) / 1000,
        place=tuple(FixedPlace(u=u, role="node") for u in housing.first_u),
    )
    return [rack] * (node_count // per_rack)


def _network_racks(
    switches: Sequence[DeviceSpace], others: Sequence[DeviceSpace], most_switches: int, fewest: int = 0
) -> list[Rack]:
    """The fewest network racks that hold `switches`, with `others` dealt over them.

    Leaves and spines may take each other's places, so every place suits the largest.
    """
    if not switches and not others:
        return []
    for device in (*switches, *others):
        if not _fitting(device, []):
            raise InfeasibleError(conflict=(_too_large(device),))
    racks_count = next(count for count in count_from(max(1, fewest)) if _hold(count, switches, others, most_switches))
    return [_rack(use="network")] * racks_count


def _hold(racks_count: int, switches: Sequence[DeviceSpace], others: Sequence[DeviceSpace], most_switches: int) -> bool:
    """Whether so many network racks have room for the switches beside an even share of the others."""
    share, rest = divmod(len(others), racks_count)
    room = 0
    for dealt, racks in ((share + 1, rest), (share, racks_count - rest)):
        beside = [_largest(others)] * dealt if others else []
        if racks and beside and _fitting(beside[0], []) < dealt:
            return False
        room += racks * min(most_switches, _fitting(_largest(switches), beside)) if switches else 0
    return room >= len(switches)


def _largest(devices: Sequence[DeviceSpace]) -> DeviceSpace:
    """A space in which any one of `devices` fits."""
    return DeviceSpace(max(device.units for device in devices), max(device.power_w for device in devices))


def _too_large(device: DeviceSpace) -> Conflict:
    return Conflict(
        "floorplan",
        "generated",
        f"a device of {device.units} U and {device.power_w / 1000:g} kW fits no rack of {hall.RACK_UNITS_COUNT} U "
        f"and {hall.RACK_POWER_KW:g} kW; give a floorplan.yaml with the racks of the site",
    )


def _rack(
    *,
    use: Literal["any", "node", "network"] = "any",
    nodes: int | None = None,
    power_kw: float = hall.RACK_POWER_KW,
    place: tuple[FixedPlace, ...] = (),
) -> Rack:
    """A rack without a place yet."""
    return Rack(
        name="rack",
        x_m=0.0,
        y_m=0.0,
        units=hall.RACK_UNITS_COUNT,
        power_kw=power_kw,
        use=use,
        nodes=nodes,
        place=place,
    )


def _rows(nodes: Sequence[Rack], network: Sequence[Rack], *, outermost: bool = False) -> list[list[Rack]]:
    """Rows of nearly equal length; the network racks are dealt to the rows, first to the middle ones.

    In its row they stand in the middle, or `outermost` at both ends.
    """
    count = 1
    while -(-len(nodes) // count) + -(-len(network) // count) > hall.ROW_RACKS_COUNT:
        count += 1
    by_middle = sorted(range(count), key=lambda row: (abs(row - (count - 1) / 2), row))
    share = [0] * count
    for i in range(len(network)):
        share[by_middle[i % count]] += 1
    rows = []
    for row in range(count):
        here = nodes[len(nodes) * row // count : len(nodes) * (row + 1) // count]
        switches = network[: share[row]]
        inner, outer = (here, switches) if outermost else (switches, here)
        half = (len(outer) + 1) // 2
        rows.append([*outer[:half], *inner, *outer[half:]])
    return rows


def _stand(row: Iterable[Rack], index: int) -> Iterable[Rack]:
    """The racks of row number `index` with names and places; rows face each other in pairs over a cold aisle."""
    name = _letters(index)
    pairs, second = divmod(index, 2)
    y_m = pairs * (hall.COLD_AISLE_PITCH_M + hall.HOT_AISLE_PITCH_M) + second * hall.COLD_AISLE_PITCH_M
    return [
        rack.model_copy(
            update={
                "name": f"{name}{i + 1:02d}",
                "row": name,
                "x_m": round(i * hall.RACK_PITCH_M, 6),
                "y_m": round(y_m, 6),
            }
        )
        for i, rack in enumerate(row)
    ]


def _letters(index: int) -> str:
    """Name of a row: A to Z, then AA, AB and so on."""
    text = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        text = chr(ord("A") + rest) + text
    return text
