"""What the forwarding tables of a dump say on the planes of a design.

A switch is known by its GUID or by its description, a destination by where it hangs: the table of its own switch sends
it to the port that it is cabled to. So tables that name no destination, or name it as its maker does, are read as well,
and a node that hangs on another port than the design says is noticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fabric.errors import Fault, nearest
from fabric.io.opensm_tables import NO_PORT, Dump, Table, raise_all
from fabric.model.forwarding import ARRIVED, NO_WAY, Forwarding, Ports, TableArray
from fabric.model.network import BoolArray, IntArray, Network

_NOTHING = -1

_MANAGED = re.compile(r"\w+;([^:;]+):")
"""Description of a switch with a management system: its host name between a code and its model."""

_TARGET = re.compile(r"\(?.+ portguid 0x[0-9a-fA-F]+: '(.*)'\)?$")


@dataclass(frozen=True, slots=True, eq=False)
class Subnet:
    """What the words of a dump mean on a plane.

    Attributes:
        name: of the plane.
        network: endpoints, switches and links by index.
        ports: numbers of its ports.
        switches: (n_switches,) names.
        guids: number of every switch by its GUID, `0x` and 16 small hexadecimal digits.
        endpoints: (n_endpoints,) device and port of each endpoint, in this order.
        switch_is_up: (n_switches,) whether a switch must have a table.
        endpoint_is_up: (n_endpoints,) whether an endpoint must be known to its own switch.
    """

    name: str
    network: Network
    ports: Ports
    switches: tuple[str, ...]
    guids: Mapping[str, int]
    endpoints: tuple[tuple[str, str], ...]
    switch_is_up: BoolArray
    endpoint_is_up: BoolArray


@dataclass(frozen=True, slots=True, eq=False)
class Dumped:
    """The tables of a plane, and where each entry stands.

    Attributes:
        forwarding: the tables.
        tables: (n_switches,) as they were read; None of a switch that is down.
        row: (n_switches, n_endpoints) row of each entry in the table of its switch, −1 where there is none.
    """

    forwarding: Forwarding
    tables: tuple[Table | None, ...]
    row: TableArray

    def fault(self, switch: int, endpoint: int, message: str) -> Fault:
        """A fault at the entry of a switch for an endpoint, or at the head of its table."""
        table, row = self.tables[switch], int(self.row[switch, endpoint])
        if table is None:
            return Fault(message)
        return Fault(message, table.file, table.at[row] if row >= 0 else table.line)


def read(dump: Dump, subnets: Sequence[Subnet]) -> tuple[Dumped, ...]:
    """The tables of every plane.

    Of several LIDs of an endpoint the lowest counts, which is what a port is addressed by. Destinations that hang
    nowhere in the design (switches, aggregation nodes) are passed over: no modelled byte goes there.

    Raises:
        ArtifactError: every fault with its line: a switch that no plane has or whose tables differ, a node on another
            port than the design's, an entry for a port that the design has nothing on; then every switch that is up
            without a table, and every endpoint that its own switch does not know.
    """
    faults: list[Fault] = []
    found = _by_switch(dump, subnets, faults)
    readings = [_Reading(dump, subnet, tables, faults) for subnet, tables in zip(subnets, found, strict=True)]
    if not faults:
        faults += [fault for reading in readings for fault in reading.lacking()]
    raise_all(faults)
    return tuple(Dumped(Forwarding(each.table), tuple(each.tables), each.row) for each in readings)


def _by_switch(dump: Dump, subnets: Sequence[Subnet], faults: list[Fault]) -> list[list[Table | None]]:
    """The table of every switch of every plane."""
    found: list[list[Table | None]] = [[None] * len(subnet.switches) for subnet in subnets]
    by_guid = {guid: (at, number) for at, subnet in enumerate(subnets) for guid, number in subnet.guids.items()}
    by_name = {name: (at, number) for at, subnet in enumerate(subnets) for number, name in enumerate(subnet.switches)}
    for table in dump.tables:
        managed = _MANAGED.match(table.name)
        known = by_name.get(managed[1] if managed else table.name)
        place = by_guid.get(table.guid, known)
        if place is None:
            words = f"{table.guid} ({table.name})" if table.name else table.guid
            near = nearest(table.name, by_name, otherwise="; GUIDs stand in devices.csv")
            faults.append(Fault(f"no switch {words} in this design{near}", table.file, table.line))
            continue
        at, number = place
        name, before = subnets[at].switches[number], found[at][number]
        if known not in {None, place}:
            faults.append(Fault(f"{table.guid} is {name}, not {table.name}", table.file, table.line))
        elif before is not None and (lid := before.apart(table)) is not None:
            where = f"another table of {name} than at {before.file}:{before.line}"
            faults.append(Fault(f"{where}: they differ for LID {lid}", table.file, table.line))
        found[at][number] = before or table
    return found


class _Reading:
    """The tables of one plane, being read."""

    def __init__(self, dump: Dump, subnet: Subnet, tables: list[Table | None], faults: list[Fault]) -> None:
        self._texts, self._subnet, self.tables, self._faults = dump.texts, subnet, tables, faults
        self._devices = {device for device, _ in subnet.endpoints}
        self._named = {" ".join(words): number for number, words in enumerate(subnet.endpoints)}
        self._link, self._endpoint = _cells(subnet)
        shape = len(subnet.switches), len(subnet.endpoints)
        self.table = np.full(shape, NO_WAY, dtype=np.int32)
        self.row = np.full(shape, -1, dtype=np.int32)
        highest = max((max(table.lid, default=0) for table in tables if table is not None), default=0)
        self._of_lid = np.full(highest + 1, _NOTHING, dtype=np.int64)
        used = [(switch, table) for switch, table in enumerate(tables) if table is not None]
        for switch, table in used:
            self._locate(switch, table)
        self._keep_lowest()
        for switch, table in used:
            self._take(switch, table)

    def _locate(self, switch: int, table: Table) -> None:
        """Learn which destinations hang on a switch."""
        lids, on = np.asarray(table.lid), self._on(self._endpoint, switch, np.asarray(table.port))
        for row in np.flatnonzero(on != _NOTHING).tolist():
            lid, endpoint = int(lids[row]), int(on[row])
            if self._of_lid[lid] not in {_NOTHING, endpoint}:
                there = self._words(int(self._of_lid[lid]))
                self._fault(table, row, f"LID {lid} goes to {self._words(endpoint)}, but elsewhere to {there}")
                continue
            self._of_lid[lid] = endpoint
            target = _TARGET.match(self._texts[table.words[row]])
            if target and self._is_other(target[1], endpoint):
                where = f"port {table.port[row]} of {self._subnet.switches[switch]}"
                self._fault(table, row, f"{target[1]} is on {where}, where the design has {self._words(endpoint)}")

    def _is_other(self, told: str, endpoint: int) -> bool:
        """Whether a description is that of another endpoint, or of a device that the endpoint is not of."""
        device = told.split(" ", 1)[0]
        if told in self._named:
            return self._named[told] != endpoint
        return device in self._devices and device != self._subnet.endpoints[endpoint][0]

    def _keep_lowest(self) -> None:
        """Forget all LIDs of an endpoint but the lowest."""
        lids = np.flatnonzero(self._of_lid != _NOTHING)
        first = lids[np.unique(self._of_lid[lids], return_index=True)[1]]
        kept = np.full_like(self._of_lid, _NOTHING)
        kept[first] = self._of_lid[first]
        self._of_lid = kept

    def _take(self, switch: int, table: Table) -> None:
        """Enter a table."""
        lids, ports = np.asarray(table.lid), np.asarray(table.port)
        endpoint = self._of_lid[lids]
        link, hangs = (self._on(cells, switch, ports) for cells in (self._link, self._endpoint))
        known = endpoint != _NOTHING
        for row in np.flatnonzero(known & (ports != NO_PORT) & (link == _NOTHING) & (hangs == _NOTHING)).tolist():
            where = f"port {ports[row]} of {self._subnet.switches[switch]}"
            to = self._words(int(endpoint[row]))
            self._fault(table, row, f"LID {lids[row]} ({to}) goes to {where}, on which the design has nothing")
        # From the last row to the first, so that of two for one destination the first stays.
        rows = np.flatnonzero(known)[::-1]
        self.table[switch, endpoint[rows]] = np.where(hangs[rows] != _NOTHING, ARRIVED, link[rows])
        self.row[switch, endpoint[rows]] = rows

    def lacking(self) -> Iterator[Fault]:
        """What no line told: tables of switches, and endpoints."""
        subnet, file = self._subnet, next((table.file for table in self.tables if table is not None), None)
        missing = [n for n, table in enumerate(self.tables) if table is None and subnet.switch_is_up[n]]
        if file is None:
            if missing:
                yield Fault(f"no table of any switch of {subnet.name}, such as {subnet.switches[missing[0]]}")
            return
        for switch in missing:
            yield Fault(f"no table of {subnet.switches[switch]}; if it is down, name it with --fail", file)
        for endpoint, switch in enumerate(subnet.network.endpoint_switch.tolist()):
            table = self.tables[switch]
            if table is not None and subnet.endpoint_is_up[endpoint] and self.table[switch, endpoint] != ARRIVED:
                where = f"port {subnet.ports.endpoint[endpoint]} of {subnet.switches[switch]}"
                what = f"no LID on {where}, where {self._words(endpoint)} hangs; if it is down, name it with --fail"
                yield Fault(what, table.file, table.line)

    def _on(self, cells: IntArray, switch: int, ports: IntArray) -> IntArray:
        """(n,) what hangs on some ports of a switch."""
        inside = ports < cells.shape[1]
        return np.where(inside, cells[switch, np.where(inside, ports, 0)], _NOTHING)

    def _words(self, endpoint: int) -> str:
        return " ".join(self._subnet.endpoints[endpoint])

    def _fault(self, table: Table, row: int, message: str) -> None:
        self._faults.append(Fault(message, table.file, table.at[row]))


def _cells(subnet: Subnet) -> tuple[IntArray, IntArray]:
    """(n_switches, n_ports) link and endpoint on every port of every switch."""
    network, ports = subnet.network, subnet.ports
    highest = max(int(each.max(initial=0)) for each in (ports.a, ports.b, ports.endpoint))
    link, endpoint = (np.full((network.switch_count, highest + 1), _NOTHING, dtype=np.int64) for _ in range(2))
    for switch, port in ((network.link_a, ports.a), (network.link_b, ports.b)):
        link[switch, port] = np.arange(switch.size)
    endpoint[network.endpoint_switch, ports.endpoint] = np.arange(network.endpoint_switch.size)
    return link, endpoint
