"""What the catalog command lists, shows and checks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.catalog.check import check
from fabric.catalog.listing import list_entries, show
from fabric.catalog.load import load
from fabric.catalog.record import Evidence
from fabric.errors import InputError
from fabric.resources import data_dir

CATALOG = load()


def test_the_shipped_catalog_has_no_problem():
    """Every figure has an origin, every part that a design may choose has space, power and a cable."""
    assert check(CATALOG) == ()


def test_only_what_can_be_bought_is_listed():
    """One entry per orderable part; what is no longer sold or not allowed is left out."""
    entries = list_entries(CATALOG)
    parts = {entry["part"] for entry in entries}
    assert len(parts) == len(entries)
    assert {"nvidia-q3400-ra", "MCP7Y00-N001", "MMS4X00-NS"} <= parts
    assert not parts & {"nvidia-q3400-ld", "MCP7Y10-N001", "hgx-b200"}


def test_entries_have_the_promised_keys():
    """kind, part, family and price of all; medium of cables."""
    for entry in list_entries(CATALOG):
        medium = {"medium"} if entry["kind"] == "cable" else set()
        assert set(entry) == {"kind", "part", "family", "price_usd"} | medium


def test_each_kind_can_be_listed_and_shown():
    """Every listed part is found again by the kind and the part that the list prints."""
    for kind in ("switch", "systems", "moe_model", "ib_chips", "support"):
        for entry in list_entries(CATALOG, kind):
            file = show(CATALOG, entry["kind"], entry["part"])["file"]
            assert (data_dir("catalog") / file).is_file()


def test_show_prints_the_file():
    """Nulls included: what is not known is shown as such."""
    entry = show(CATALOG, "switch", "nvidia-qm9700")
    assert entry["file"] == "switches/nvidia-qm9700.yaml"
    assert entry["max_w"] is None
    assert entry["cages"]["count"] == 32


@pytest.mark.parametrize(
    ("kind", "part", "message"),
    [
        ("swich", "x", "unknown kind of part 'swich', did you mean switch?"),
        ("switch", "nvidia-qm970", "unknown switch 'nvidia-qm970', did you mean nvidia-qm9790?"),
        ("nic", "?", "unknown nic '?'; fabric catalog list nics names all"),
    ],
)
def test_unknown_names(kind, part, message):
    """The nearest name is offered."""
    with pytest.raises(InputError) as caught:
        show(CATALOG, kind, part)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"sources": ()}, "sources: no source, and no note that says why"),
        ({"evidence": {"max_w": Evidence(confidence="estimate")}}, "neither a source nor a note says why"),
        ({"evidence": {"max_w": Evidence()}}, "evidence.max_w: says nothing"),
        ({"price_usd": 1.0}, "price_usd: no evidence says who quoted this price"),
        ({"planning": {}}, "max_w: not known, and no planning value stands in"),
        ({"ports_by_speed_gbps": {333: 64}}, "cages: no cable and no transceiver plugs into its cages"),
    ],
)
def test_check_names_what_is_lacking(change, problem):
    """A switch broken in one way has exactly that problem."""
    broken = CATALOG.switches["nvidia-sn5600"].model_copy(update=change)
    catalog = replace(CATALOG, switches={**CATALOG.switches, "nvidia-sn5600": broken})
    found = [str(fault) for fault in check(catalog)]
    assert len(found) == 1
    assert found[0].startswith("switches/nvidia-sn5600.yaml")
    assert problem in found[0]


def test_two_default_stacks():
    """A workload that names no stack must find exactly one."""
    twin = CATALOG.stacks["generic-roce-normal"]
    catalog = replace(CATALOG, stacks={**CATALOG.stacks, "twin": twin})
    assert {fault.file for fault in check(catalog)} == {"stacks/twin.yaml"}


def test_a_borrowed_constant_is_its_lenders():
    """A stack cannot keep what its lender has given up."""
    lender = CATALOG.stacks["uccl-ep-normal-cx7-ib"]
    phases = {key: phase.model_copy(update={"alpha0_us": 1.0}) for key, phase in lender.phases.items()}
    changed = lender.model_copy(update={"phases": phases})
    found = check(replace(CATALOG, stacks={**CATALOG.stacks, "uccl-ep-normal-cx7-ib": changed}))
    assert {fault.file for fault in found} == {"stacks/uccl-ep-normal-thor2-roce.yaml"}
    assert "181.0 where uccl-ep-normal-cx7-ib, which lends it, has 1.0" in str(found[0])


@pytest.mark.parametrize("layer", ["infiniband", "ethernet"])
@pytest.mark.parametrize("mode", ["low_latency", "normal", "rank_dedup", "plain"])
def test_every_mode_has_a_default_stack(mode, layer):
    """No workload is left without constants, if only borrowed ones."""
    names = [key for key, stack in CATALOG.stacks.items() if mode in stack.serves and layer in stack.default_for]
    assert len(names) == 1


def test_deepep_constants():
    """Near an independent fit to the largest collection alone: 17.4 us, 4.06 us a doubling of nodes, 47.8 GB/s."""
    dispatch = CATALOG.stacks["deepep-v1-low-latency-cx7-ib"].phases["dispatch"]
    found = (dispatch.alpha0_us, dispatch.alpha1_us, dispatch.bandwidth_gbyte_s)
    assert found == pytest.approx((17.4, 4.06, 47.8), rel=0.07)
