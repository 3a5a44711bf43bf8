"""Forwarding tables as OpenSM dumps them (opensm-lfts.dump) and as ibroute, dump_fts and dump_lfts print them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fabric.errors import ArtifactError, Fault
from fabric.model.forwarding import ARRIVED, NO_WAY, Forwarding, Ports
from fabric.model.network import Network
from fabric.table import MAX_FAULTS

_HEAD = re.compile(r"Unicast lids \[\S+\] of switch .*\bguid 0x([0-9a-fA-F]+) \('?(.*?)'?\):\s*$")
_ROW = re.compile(r"0x([0-9a-fA-F]+) (\d+)\s*(?:[:#] (.*))?$")
_TARGET = re.compile(r"\(?(.+) portguid 0x([0-9a-fA-F]+): '(.*)'\)?$")
_COUNT = re.compile(r"(\d+) (valid )?lids dumped\s*$")
_BETWEEN = re.compile(r"\s*$|\s+Lid\s+Out\b|\s+Port\s+Info\b|ibwarn: ")
_NO_PORT = 255
"""Port of a row that leads nowhere. Source: opensm-source, OSM_NO_PATH."""


@dataclass(frozen=True, slots=True, eq=False)
class Subnet:
    """What the words of a dump mean on a plane.

    Attributes:
        network: the plane.
        ports: numbers of its ports.
        switches: number of every switch by its GUID (`0x` and 16 small hexadecimal digits) or by its description.
        endpoints: number of every endpoint by its port GUID, by its description, or by its LID (`0x` and 4 digits),
            which is all that tables without destinations (`ibroute -n`) tell.
    """

    network: Network
    ports: Ports
    switches: Mapping[str, int]
    endpoints: Mapping[str, int]


def read(path: Path, subnet: Subnet) -> Forwarding:
    """The tables of all switches of a plane, in one file one after the other.

    Of several LIDs of an endpoint the first counts. Endpoints and switches as targets that the plane does not know are
    passed over: no modelled byte goes there.

    Raises:
        ArtifactError: every fault of the file, with its line: a line of no known kind, a row before any switch, a
            switch that is unknown or comes twice, a port that nothing known hangs on, a table cut short; then every
            switch without a table and every endpoint that no table has.
    """
    reading = _Reading(subnet, str(path))
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                reading.take(number, line.rstrip("\n"))
    except OSError as error:
        raise ArtifactError(Fault(f"cannot be read: {error.strerror}", str(path))) from None
    faults = [*reading.faults, *reading.lacking()]
    if faults:
        more = len(faults) - MAX_FAULTS
        raise ArtifactError(*faults[:MAX_FAULTS], *([Fault(f"and {more} more", str(path))] if more > 0 else []))
    return Forwarding(reading.table)


class _Reading:
    """What has been read of a file so far."""

    def __init__(self, subnet: Subnet, file: str) -> None:
        network, ports = subnet.network, subnet.ports
        self._subnet, self._file = subnet, file
        ends = ((network.link_a, ports.a), (network.link_b, ports.b))
        self._link = {
            cell: link
            for switch, port in ends
            for link, cell in enumerate(zip(switch.tolist(), port.tolist(), strict=True))
        }
        below = zip(network.endpoint_switch.tolist(), ports.endpoint.tolist(), strict=True)
        self._endpoint = {cell: endpoint for endpoint, cell in enumerate(below)}
        self._names = {number: name for name, number in subnet.switches.items()}
        self._switch: int | None = None
        self._started = False
        self._seen: set[int] = set()
        self._rows = 0
        self.faults: list[Fault] = []
        self.table = np.full((network.switch_count, network.endpoint_switch.size), NO_WAY, dtype=np.int32)

    def take(self, number: int, line: str) -> None:
        """One line of the file."""
        if row := _ROW.match(line):
            self._rows += 1
            self._take_row(number, row)
        elif head := _HEAD.match(line):
            self._take_head(number, head)
        elif count := _COUNT.match(line):
            # The count of opensm's own dump is the highest LID, whatever stands between.
            if count[2] and int(count[1]) != self._rows:
                self._fault(number, f"{self._rows} rows stand where {count[1]} are counted; the table is cut short")
        elif not _BETWEEN.match(line):
            self._fault(number, f"no line of a forwarding table: {line[:60]!r}")

    def lacking(self) -> Iterator[Fault]:
        """What no line told: tables of switches, and endpoints."""
        if self.faults:
            return
        for switch in range(self._subnet.network.switch_count):
            if switch not in self._seen:
                yield Fault(f"no table of switch {self._names.get(switch, switch)}", self._file)
        unknown = (self.table == NO_WAY).all(axis=0) if self.table.size else np.zeros(0, dtype=np.bool_)
        names = {number: name for name, number in self._subnet.endpoints.items()}
        for endpoint in np.flatnonzero(unknown).tolist():
            yield Fault(f"no table has endpoint {names.get(endpoint, endpoint)}", self._file)

    def _fault(self, number: int, message: str) -> None:
        self.faults.append(Fault(message, self._file, number))

    def _take_head(self, number: int, head: re.Match[str]) -> None:
        guid, name = f"0x{int(head[1], 16):016x}", head[2]
        self._started, self._rows = True, 0
        self._switch = self._subnet.switches.get(guid, self._subnet.switches.get(name))
        if self._switch is None:
            self._fault(number, f"the plane has no switch {guid} ({name})")
        elif self._switch in self._seen:
            self._fault(number, f"second table of switch {guid} ({name})")
            self._switch = None
        else:
            self._seen.add(self._switch)

    def _take_row(self, number: int, row: re.Match[str]) -> None:
        if not self._started:
            self._fault(number, "a row before the first switch")
        endpoint = self._target(int(row[1], 16), row[3] or "")
        port = int(row[2])
        if self._switch is None or endpoint is None or port == _NO_PORT:
            return
        if self.table[self._switch, endpoint] != NO_WAY:
            return
        cell = self._switch, port
        if self._endpoint.get(cell) == endpoint:
            self.table[cell[0], endpoint] = ARRIVED
        elif cell in self._link:
            self.table[cell[0], endpoint] = self._link[cell]
        else:
            what = "another endpoint hangs" if cell in self._endpoint else "no link of the plane is"
            self._fault(number, f"{what} on port {port} of switch {self._names[cell[0]]}")

    def _target(self, lid: int, words: str) -> int | None:
        """The endpoint that a row is for."""
        known = self._subnet.endpoints
        if target := _TARGET.match(words):
            return known.get(f"0x{int(target[2], 16):016x}", known.get(target[3]))
        return known.get(f"0x{lid:04x}")
