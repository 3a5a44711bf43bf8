"""Port names against what the systems themselves print."""

from __future__ import annotations

import pytest

from fabric.errors import InputError
from fabric.nos.port_names import cage_and_slot, nos_of, port_alias, port_name
from fabric.nos.spec import known, load

# Sources: SONiC port_config.ini of SN5600 (sonic-net/sonic-buildimage: 8 lanes a cage, Ethernet8 is the
# second cage); Cumulus Linux "Interface Configuration": swp1s0 … swp1s3; NVOS and OpenSM: cage/port.
NAMES = [
    ("sonic", 1, 0, 1, 8, "Ethernet0"),
    ("sonic", 2, 0, 1, 8, "Ethernet8"),
    ("sonic", 2, 1, 2, 8, "Ethernet12"),
    ("sonic", 64, 3, 4, 8, "Ethernet510"),
    ("sonic", 3, 1, 2, 4, "Ethernet10"),
    ("cumulus", 5, 0, 1, 8, "swp5"),
    ("cumulus", 5, 1, 2, 8, "swp5s1"),
    ("nvos", 32, 1, 2, 8, "32/2"),
    ("nvos", 7, 0, 1, 4, "7/1"),
]


@pytest.mark.parametrize(("nos", "cage", "slot", "ports", "lanes", "name"), NAMES)
def test_name_and_back(nos, cage, slot, ports, lanes, name):
    """A place gives the system's name and the name gives the place."""
    assert port_name(nos, cage, slot, ports, lanes) == name
    assert cage_and_slot(nos, name, ports, lanes) == (cage, slot)


@pytest.mark.parametrize("nos", known())
@pytest.mark.parametrize(("cages", "lanes"), [(64, 8), (72, 8), (128, 4)])
def test_every_name_is_unique_and_reads_back(nos, cages, lanes):
    """No two ports of a switch share a name, whatever the split, and each reads back."""
    for ports in (1, 2, 4):
        places = [(cage, slot) for cage in range(1, cages + 1) for slot in range(ports)]
        names = [port_name(nos, cage, slot, ports, lanes) for cage, slot in places]
        assert len(set(names)) == len(names)
        assert [cage_and_slot(nos, name, ports, lanes) for name in names] == places


@pytest.mark.parametrize("name", ["Ethernet13", "Ethernet012", "Ethernet", "swp1", "Ethernet4 "])
def test_foreign_names_are_refused(name):
    """A name that the split does not have is refused, not rounded."""
    with pytest.raises(InputError, match="is no sonic port of a cage with 2 ports"):
        cage_and_slot("sonic", name, 2, 8)


@pytest.mark.parametrize(("cage", "slot", "ports"), [(0, 0, 1), (1, 2, 2), (1, 0, 9), (1, -1, 2)])
def test_places_that_do_not_exist(cage, slot, ports):
    """Cage 0, a slot beyond the split and more ports than lanes are refused."""
    with pytest.raises(InputError, match="no port at cage"):
        port_name("sonic", cage, slot, ports, 8)


def test_alias_is_what_stands_on_the_faceplate():
    """SONiC aliases count cages and letter the ports of a split; NVOS has no alias."""
    assert port_alias("sonic", 3, 0, 1, 8) == "etp3"
    assert port_alias("sonic", 3, 1, 2, 8) == "etp3b"
    assert port_alias("nvos", 3, 1, 2, 8) == "3/2"


def test_tables_use_one_system_per_link_layer():
    """InfiniBand tables speak NVOS, Ethernet tables SONiC."""
    assert nos_of("infiniband") == "nvos"
    assert nos_of("ethernet") == nos_of("roce") == "sonic"


def test_unknown_system_names_the_nearest():
    """A misspelt system is answered with the known ones."""
    with pytest.raises(InputError, match="'sonik', did you mean sonic\\? Known: cumulus, nvos, sonic"):
        load("sonik")
