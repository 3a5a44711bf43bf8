"""The compatibility rules of the makers, held against every shipped cable and transceiver.

Sources by rule: NVIDIA's XDR part list and 400G deck (finned and flat tops, no downshift), MMS4X00-NS400 and
MMA4Z00-NS400-T (single-port modules, BlueField-3), the 100G and 200G overviews (twin ports, XDR and AOC range), the
structured cabling requirements of 2025-09 (fibre lengths), the interconnect hub of 2026-09-23 (sales status).
"""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest

from fabric.catalog.load import load

CATALOG = load()
CABLES = CATALOG.cables
TRANSCEIVERS = CATALOG.transceivers
PARTS = {**CABLES, **TRANSCEIVERS}
COPPER_AND_AOC = {key: part for key, part in CABLES.items() if part.medium not in {"mmf", "smf"}}
FIBRES = {key: part for key, part in CABLES.items() if part.medium in {"mmf", "smf"}}


def test_finned_modules_fit_switches_alone():
    """A finned top is taller than the cage of an adapter or a liquid-cooled system."""
    assert {part.fits for part in TRANSCEIVERS.values() if part.top == "finned"} == {("switch",)}


def test_node_ends_of_copper_and_aoc_are_never_finned():
    """Every splitter ends on flat tops or QSFP, and a straight assembly for nodes has a flat end."""
    for key, part in COPPER_AND_AOC.items():
        if len(part.tails) > 1:
            assert {tail.top for tail in part.tails} <= {"flat", None}, key
        if part.between == ("switch-node",):
            assert "flat" in {part.head.top, *(tail.top for tail in part.tails)}, key


def test_single_port_400g_modules_fit_nodes_alone():
    """Single-port OSFP and QSFP112 modules of 400G never go into Quantum-2 or Spectrum-4 cages."""
    chosen = [p for p in TRANSCEIVERS.values() if p.ports == 1 and p.rate_gbps == 400 and p.form_factor != "qsfp-dd"]
    assert len(chosen) >= 10
    assert {part.fits for part in chosen} == {("node",)}


def test_bluefield_3_takes_no_osfp():
    """No part that plugs into a node by OSFP alone names BlueField-3."""
    named = [key for key, part in PARTS.items() if any("bluefield-3" in device for device in part.qualified_with)]
    assert named
    for key in named:
        part = PARTS[key]
        forms = {part.form_factor} if key in TRANSCEIVERS else {tail.form_factor for tail in part.tails}
        assert forms <= {"qsfp112", "qsfp56"}, key


def test_lanes_of_an_assembly_end_where_its_rate_says():
    """Rate is a whole number of lanes, and an end holds the eight lanes of its cage or fewer."""
    for key, part in COPPER_AND_AOC.items():
        lanes, rest = divmod(part.rate_gbps, part.lane_gbps)
        assert rest == 0, key
        assert lanes * part.head.ports <= 8, key


def test_an_assembly_carries_as_many_ports_at_its_tails_as_at_its_head():
    """Splitters give one port to each tail, straight assemblies all ports to the one tail."""
    for key, part in CABLES.items():
        assert sum(tail.ports for tail in part.tails) == part.head.ports, key
        assert len(set(part.tails)) == 1, key


def test_xdr_range_of_nvidia():
    """At 200G a lane NVIDIA sells linear active copper and single-mode on OSFP, and nothing else."""
    xdr = [part for part in PARTS.values() if part.lane_gbps == 200 and part.vendor == "NVIDIA"]
    assert {part.medium for part in xdr} == {"acc", "smf"}
    assert {part.form_factor for part in xdr if part.medium == "smf"} == {"osfp"}


def test_nvidia_sells_no_aoc_of_800g():
    """NVIDIA's AOCs serve HDR at 50G a lane."""
    chosen = [part for part in CABLES.values() if part.medium == "aoc" and part.vendor == "NVIDIA"]
    assert {part.lane_gbps for part in chosen} == {50}


def test_no_200g_optic_at_100g_a_lane():
    """NDR200 comes from a 400G module behind a splitter fibre, not from a module of its own."""
    assert not [key for key, part in TRANSCEIVERS.items() if (part.rate_gbps, part.lane_gbps) == (200, 100)]


def test_every_connector_mates_with_a_fibre_of_its_kind():
    """MPO connectors are angled throughout, and each medium and connector has a straight fibre."""
    sold = {(part.medium, part.head.connector) for part in FIBRES.values() if len(part.tails) == 1}
    wanted = {(part.medium, part.connector) for part in TRANSCEIVERS.values()}
    assert wanted <= sold


@pytest.mark.parametrize(
    ("connector", "grade", "straight", "limit_m"),
    [
        ("mpo-12-apc", "OM3", True, 30),
        ("mpo-12-apc", "OM4", True, 50),
        ("mpo-16-apc", "OM4", True, 50),
        ("mpo-12-apc", "OM3", False, 30),
        ("mpo-12-apc", "OS2", True, 500),
        ("mpo-16-apc", "OS2", True, 500),
        ("mpo-12-apc", "OS2", False, 50),
        ("lc-duplex-upc", "OS2", True, 2000),
    ],
)
def test_longest_fibre_by_kind(connector, grade, straight, limit_m):
    """The longest fibre sold is the longest link that the structured cabling requirements allow."""
    lengths_m = [
        part.length_m
        for part in FIBRES.values()
        if (part.head.connector, part.fibre_grade, len(part.tails) == 1) == (connector, grade, straight)
    ]
    assert max(lengths_m) == limit_m


def test_no_splitter_fibre_for_wavelength_modules():
    """FR4 and LR4 put four wavelengths on one fibre pair, which no splitter can part."""
    assert {part.connector for part in TRANSCEIVERS.values() if part.optics.endswith(("FR4", "LR4"))} == {
        "lc-duplex-upc"
    }
    assert not [key for key, part in FIBRES.items() if part.head.connector == "lc-duplex-upc" and len(part.tails) > 1]


def test_ethernet_only_and_infiniband_only_families():
    """'-T' modules speak Ethernet alone, MCA4J80, MCA4K50, MMS4A00, MMS4A20 and MMS4C10 InfiniBand alone."""
    assert {PARTS[key].link_layers for key in PARTS if key.endswith("-T")} == {("ethernet",)}
    families = {"MCA4J80", "MCA4K50", "MMS4A00", "MMS4A20", "MMS4C10"}
    assert {part.link_layers for part in PARTS.values() if part.family in families} == {("infiniband",)}


def test_families_no_longer_sold():
    """Exactly the families that the hub withdrew are out of reach of a design."""
    gone = {part.family for part in PARTS.values() if part.status == "no_longer_sold"}
    assert gone == {"MCP7Y10", "MCP7Y60", "MCP7Y70", "MCA7J60", "MCA7J65", "MCA7J70", "MCA7J75"}
    assert not [part.name for part in PARTS.values() if part.family in gone and part.allowed_for_design]


@pytest.mark.parametrize(
    ("family", "lengths_m"),
    [
        ("MCP4Y10", [0.5, 0.5, 1, 1, 1.5, 2, 2]),
        ("MCP7Y00", [1, 1, 1.5, 1.5, 2, 2, 2.5, 3]),
        ("MCA4J80", [3, 3, 3, 4, 5]),
        ("MCA4K50", [1, 1.5, 2, 2.5, 3]),
        ("MCA7K10", [1, 1.5, 2]),
        ("MFA7U10", [3, 3, 5, 5, 10, 10, 15, 15, 20, 20, 30, 30]),
        ("MFS1S00", [3, 5, 10, 15, 20, 30, 50, 100]),
        ("MFP7E10", [3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 50]),
        ("MFP7E30", [3, 5, 7, 10, 15, 20, 30, 50, 100, 150]),
    ],
)
def test_sold_lengths(family, lengths_m):
    """Lengths of the ordering pages (MCP4Y10, MCP7Y00, MFP7E10, MFP7E30) and of the hub's ordering numbers."""
    assert sorted(part.length_m for part in CABLES.values() if part.family == family) == lengths_m


def test_generic_parts_are_ethernet_estimates():
    """Third-party stand-ins never carry InfiniBand, a price, a qualification or more confidence than an estimate."""
    generic = [part for part in PARTS.values() if part.vendor == "generic"]
    active = [part for part in generic if part.lane_gbps is not None]
    assert {part.confidence for part in generic} == {"estimate"}
    assert {part.link_layers for part in active} == {("ethernet",)}
    assert {part.qualified_with for part in generic} == {()}


def test_no_price_is_made_up():
    """No list quotes any of these very products, so none has a price."""
    assert {part.price_usd for part in PARTS.values()} == {None}


def test_a_part_kept_from_designs_says_why():
    """Whoever finds a part but not in a design reads the reason in its file, or that it is no longer sold."""
    for key, part in PARTS.items():
        if not part.allowed_for_design and part.status != "no_longer_sold":
            assert any(note.startswith("Not for design:") for note in part.notes), key


def test_ordering_numbers_are_unique_and_sources_exist():
    """One file per orderable number, each figure traceable."""
    numbers = Counter(part.opn for part in PARTS.values() if part.opn is not None)
    assert [number for number, count in numbers.items() if count > 1] == []
    for key, part in PARTS.items():
        cited = {*part.sources, *(evidence.source for evidence in part.evidence.values() if evidence.source)}
        assert cited <= set(CATALOG.sources), key


def test_every_module_has_a_power_figure_or_a_stand_in():
    """Rack and cage power need a figure for each transceiver that a design may choose."""
    assert [key for key, part in TRANSCEIVERS.items() if part.figure("max_w") is None] == []


def test_a_family_has_one_medium():
    """A family name on a bill means one kind of cable."""
    media = defaultdict(set)
    for part in CABLES.values():
        media[part.family].add(part.medium)
    assert {family for family, kinds in media.items() if len(kinds) > 1} == set()
