"""Whether the shipped cables and transceivers can build each kind of link, judged by a matcher of our own.

The longest lengths expected are those of the distance ladders: copper and multimode from NVIDIA's overviews of its
parts of 100G and 200G a lane and its structured cabling requirements (50 m multimode, 500 m MPO, 2000 m LC), the
third-party rows from open lists (DAC to 3 m, AEC to 7 m, AOC to 50 m). NVIDIA's 400G DR4 for adapters ends at 100 m.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

from fabric.catalog.load import load
from fabric.catalog.parts import CableEnd, CablePart, Transceiver

CATALOG = load()
CABLES = [part for part in CATALOG.cables.values() if part.allowed_for_design and part.status != "no_longer_sold"]
MODULES = [part for part in CATALOG.transceivers.values() if part.allowed_for_design]


@dataclass(frozen=True)
class Cage:
    """A cage in one way of use: its ports, the rate of each and of each of their lanes."""

    top: str
    ports: int
    rate_gbps: int
    lane_gbps: int
    role: str
    form_factor: str = "osfp"


QM9700 = Cage("finned", 2, 400, 100, "switch")
Q3400 = Cage("finned", 2, 800, 200, "switch")
N9500 = SN5600 = Cage("finned", 2, 400, 100, "switch")
N9500_800G = Cage("finned", 1, 800, 100, "switch")
SN6600_LD = Cage("flat", 2, 800, 200, "switch")
HGX_H100 = HGX_B200 = Cage("flat", 1, 400, 100, "node")
DGX_H100 = Cage("flat", 2, 400, 100, "node")
TWO_PLANES = Cage("flat", 2, 400, 100, "node")
XDR_NODE = Cage("flat", 1, 800, 200, "node")
QSFP112_NODE = Cage("flat", 1, 400, 100, "node", "qsfp112")


def plugs(end: CableEnd, cage: Cage) -> bool:
    """Whether a copper or AOC end goes into the cage and serves all its ports."""
    return (end.form_factor, end.top, end.ports) == (cage.form_factor, cage.top, cage.ports)


def assemblies(a: Cage, b: Cage, layer: str) -> Iterator[tuple[str, float]]:
    """Medium and length [m] of each cable with fixed ends that joins the cages."""
    for cable in CABLES:
        kind = "switch-switch" if a.role == b.role else "switch-node"
        if layer not in cable.link_layers or kind not in cable.between or cable.rate_gbps != a.rate_gbps:
            continue
        tail = cable.tails[0]
        either_way = (plugs(cable.head, a) and plugs(tail, b)) or (plugs(cable.head, b) and plugs(tail, a))
        if cable.lane_gbps == a.lane_gbps and either_way:
            yield cable.medium, cable.length_m


def modules(cage: Cage, layer: str) -> list[Transceiver]:
    """Transceivers that fit the cage and the way it is used."""
    wanted = (cage.form_factor, cage.top, cage.ports, cage.rate_gbps, cage.lane_gbps)
    return [
        part
        for part in MODULES
        if (part.form_factor, part.top, part.ports, part.rate_gbps, part.lane_gbps) == wanted
        and layer in part.link_layers
        and cage.role in part.fits
    ]


def reaches(cable: CablePart, ends: Iterable[Transceiver]) -> bool:
    """Whether every transceiver lights the whole of a fibre that mates with it."""
    return len(cable.tails) == 1 and all(
        cable.medium == end.medium
        and cable.head.connector == cable.tails[0].connector == end.connector
        and end.min_reach_m <= cable.length_m <= end.reach_m.get(cable.fibre_grade, 0)
        for end in ends
    )


def fibres(a: Cage, b: Cage, layer: str) -> Iterator[tuple[str, float]]:
    """Medium and length [m] of each fibre with a transceiver at both ends."""
    pairs = {
        (one.medium, one.connector, tuple(one.reach_m.items()), tuple(other.reach_m.items())): (one, other)
        for one in modules(a, layer)
        for other in modules(b, layer)
        if one.optics == other.optics
    }
    for cable in CABLES:
        if any(reaches(cable, pair) for pair in pairs.values()):
            yield cable.medium, cable.length_m


def longest_m(links: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Longest length [m] by medium."""
    longest: dict[str, float] = {}
    for medium, length_m in links:
        longest[medium] = max(length_m, longest.get(medium, 0))
    return longest


@pytest.mark.parametrize(
    ("a", "b", "layer", "expected"),
    [
        (QM9700, HGX_H100, "infiniband", {"dac": 3, "mmf": 50, "smf": 100}),
        (QM9700, DGX_H100, "infiniband", {"acc": 3, "mmf": 50, "smf": 500}),
        (QM9700, QM9700, "infiniband", {"dac": 2, "acc": 5, "mmf": 50, "smf": 2000}),
        (QM9700, QSFP112_NODE, "infiniband", {"mmf": 50, "smf": 100}),
        (Q3400, XDR_NODE, "infiniband", {"acc": 2, "smf": 500}),
        (Q3400, Q3400, "infiniband", {"acc": 3, "smf": 500}),
        (N9500, HGX_B200, "ethernet", {"dac": 3, "acc": 5, "aec": 7, "aoc": 30, "mmf": 50, "smf": 500}),
        (N9500, QSFP112_NODE, "ethernet", {"dac": 3, "acc": 5, "aec": 7, "aoc": 30, "mmf": 50, "smf": 500}),
        (N9500, DGX_H100, "ethernet", {"dac": 2, "acc": 5, "aec": 7, "aoc": 30, "mmf": 50, "smf": 500}),
        (N9500, N9500, "ethernet", {"dac": 2, "acc": 5, "aec": 7, "aoc": 50, "mmf": 50, "smf": 2000}),
        (N9500_800G, N9500_800G, "ethernet", {"dac": 2, "acc": 5, "aec": 7, "aoc": 50, "mmf": 50, "smf": 500}),
        (SN6600_LD, XDR_NODE, "ethernet", {"acc": 2, "smf": 500}),
        (SN6600_LD, SN6600_LD, "ethernet", {"dac": 1, "acc": 3, "smf": 500}),
    ],
)
def test_media_and_longest_lengths(a, b, layer, expected):
    """Each pair of cages of the shipped examples gets exactly the media and reach that somebody sells."""
    assert longest_m([*assemblies(a, b, layer), *fibres(a, b, layer)]) == expected


@pytest.mark.parametrize("leaf", [N9500, SN5600])
def test_two_planes_of_a_cage_are_reached_by_fibre(leaf):
    """A node cage whose two ports end on two leaves is joined by twin modules with a fibre for each port."""
    assert longest_m(fibres(leaf, TWO_PLANES, "ethernet")) == {"mmf": 50, "smf": 500}


def test_short_lengths_of_fibre():
    """Single-mode fibre begins at 3 m, above the 2 m that the modules need (MMS4X00-NS specification)."""
    assert min(length_m for medium, length_m in fibres(Q3400, Q3400, "infiniband") if medium == "smf") == 3


def test_superpod_h100_bill():
    """The modules and fibre of RA-11333-001 V11, table 8, join a QM9700 to a DGX H100 over InfiniBand."""
    numbers = {part.opn: part for part in [*CABLES, *MODULES]}
    leaf, node, fibre = (numbers[n] for n in ("980-9I510-00NS00", "980-9I51A-00NS00", "980-9I570-00N030"))
    assert leaf in modules(QM9700, "infiniband")
    assert node in modules(DGX_H100, "infiniband")
    assert reaches(fibre, [leaf, node])
