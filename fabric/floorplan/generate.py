"""A floor plan for a request that brings none: racks of nodes in rows, network racks in the middle of the rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from fabric.errors import Conflict, Fault, InfeasibleError, InputError
from fabric.floorplan import hall
from fabric.model.floorplan import FixedPlace, FloorPlan, Rack
from fabric.model.placement import DeviceSpace, NodeHousing
from fabric.model.request import PlacementPolicy


def generate(
    node_count: int,
    housing: NodeHousing,
    switches: Sequence[DeviceSpace],
    others: Sequence[DeviceSpace] = (),
    policy: PlacementPolicy | None = None,
) -> FloorPlan:
    """The floor plan of a new hall that holds the fabric at its full size.

    Args:
        node_count: nodes with spares and growth.
        housing: how nodes stand in racks.
        switches: what each switch needs.
        others: what each attached device needs.
        policy: where switches may stand; leaves in their own racks take room from the nodes.

    Raises:
        InfeasibleError: a node is too large for any rack of the generated kind.
        InputError: nodes of a whole-rack system that fill no whole number of racks.
    """
    policy = policy or PlacementPolicy()
    kept = list(switches) if policy.leaf == "own_rack" and not housing.whole_rack else []
    node_racks = _node_racks(node_count, housing, kept)
    spread = policy.spine == "spread" and len(switches) > 1
    network_racks = _network_racks([*switches, *others], policy.max_switches_per_rack, 2 if spread else 1)
    if policy.spine == "network_row":
        rows = [*_rows(node_racks, []), *_rows([], network_racks)]
        middle = len(rows) // 2
        rows.insert(middle, rows.pop())
    else:
        rows = _rows(node_racks, network_racks)
    return FloorPlan(racks=tuple(chain.from_iterable(_stand(row, i) for i, row in enumerate(rows))))


def _node_racks(node_count: int, housing: NodeHousing, switches: Sequence[DeviceSpace]) -> list[Rack]:
    if housing.whole_rack:
        return _whole_racks(node_count, housing)
    most = housing.per_rack or hall.RACK_UNITS_COUNT
    fitting = _nodes_beside(housing.space, [])
    if fitting < 1:
        raise InfeasibleError(conflict=(_too_large(housing.space),))
    per_rack = min(most, fitting)
    if switches:
        per_rack = _leave_room(node_count, per_rack, housing.space, switches)
    return [_rack(nodes=per_rack)] * -(-node_count // per_rack)


def _leave_room(node_count: int, most: int, node: DeviceSpace, switches: Sequence[DeviceSpace]) -> int:
    """Most nodes per rack, at least 1, that leave an equal share of the switches room beside them."""
    for per_rack in range(most, 1, -1):
        racks = -(-node_count // per_rack)
        share = -(-len(switches) // racks)
        if _nodes_beside(node, sorted(switches, key=_size)[-share:]) >= per_rack:
            return per_rack
    return 1


def _nodes_beside(node: DeviceSpace, switches: Sequence[DeviceSpace]) -> int:
    """Nodes that fit an ordinary rack beside `switches`, by units and by power."""
    units = hall.RACK_UNITS_COUNT - sum(switch.units for switch in switches)
    power_w = 1000 * hall.RACK_POWER_KW - sum(switch.power_w for switch in switches)
    by_power = int(power_w / node.power_w + 1e-9) if node.power_w else units
    return max(0, min(units // node.units, by_power))


def _whole_racks(node_count: int, housing: NodeHousing) -> list[Rack]:
    per_rack = housing.per_rack or len(housing.first_u)
    if node_count % per_rack:
        below, above = node_count // per_rack * per_rack, -(-node_count // per_rack) * per_rack
        nearest = f"{below} or {above}" if below else str(above)
        raise InputError(
            Fault(f"{node_count} is no whole number of racks of {per_rack}; nearest: {nearest}", key="nodes")
        )
    rack = _rack(
        nodes=per_rack,
        power_kw=(housing.rack_power_w or per_rack * housing.space.power_w) / 1000,
        place=tuple(FixedPlace(u=u, role="node") for u in housing.first_u),
    )
    return [rack.model_copy(update={"use": "node"})] * (node_count // per_rack)


def _network_racks(devices: Sequence[DeviceSpace], most: int | str, fewest: int) -> list[Rack]:
    """Network racks that hold `devices`, filled one after the other from the largest down."""
    limit = hall.RACK_UNITS_COUNT if most == "auto" else int(most)
    racks: list[tuple[int, float, int]] = []
    for device in sorted(devices, key=_size, reverse=True):
        for i, (units, power_w, count) in enumerate(racks):
            if device.units <= units and device.power_w <= power_w and count < limit:
                racks[i] = (units - device.units, power_w - device.power_w, count + 1)
                break
        else:
            if device.units > hall.RACK_UNITS_COUNT or device.power_w > 1000 * hall.RACK_POWER_KW:
                raise InfeasibleError(conflict=(_too_large(device),))
            racks.append((hall.RACK_UNITS_COUNT - device.units, 1000 * hall.RACK_POWER_KW - device.power_w, 1))
    return [_rack().model_copy(update={"use": "network"})] * max(fewest, len(racks)) if devices else []


def _size(device: DeviceSpace) -> tuple[int, float]:
    return device.units, device.power_w


def _too_large(device: DeviceSpace) -> Conflict:
    return Conflict(
        "floorplan",
        "generated",
        f"a device of {device.units} U and {device.power_w / 1000:g} kW fits no rack of {hall.RACK_UNITS_COUNT} U "
        f"and {hall.RACK_POWER_KW:g} kW; give a floorplan.yaml with the racks of the site",
    )


def _rack(nodes: int | None = None, power_kw: float = hall.RACK_POWER_KW, place: tuple[FixedPlace, ...] = ()) -> Rack:
    """A rack without a place yet."""
    return Rack(
        name="rack",
        x_m=0.0,
        y_m=0.0,
        units=hall.RACK_UNITS_COUNT,
        power_kw=power_kw,
        nodes=nodes,
        place=place,
    )


def _rows(nodes: Sequence[Rack], network: Sequence[Rack]) -> list[list[Rack]]:
    """Rows of nearly equal length; the network racks are dealt to the rows, first to the middle ones."""
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
        half = (len(here) + 1) // 2
        rows.append([*here[:half], *network[: share[row]], *here[half:]])
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
