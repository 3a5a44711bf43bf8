"""Parts that do not fit, reach or belong: one wrong figure each."""

from __future__ import annotations

from dataclasses import replace

from fabric.catalog.parts import CableEnd


def _first(made, medium):
    return next(cable for cable in made.cabling.cables if cable.medium == medium)


def _module_at(made, device):
    return next(each for each in made.cabling.pluggables if each.device == device)


def test_length_that_is_not_sold(roce, judge, edit):
    """4.9 m of a part that is sold with another length."""
    cable = _first(roce, "mmf")
    found = judge.only("sold-length", cable.name, edit.cables(roce, {cable.name: {"length_m": 4.9}}))
    assert (found.measured, found.limit) == (4.9, cable.length_m)


def test_family_of_another_part(roce, judge, edit):
    """A family that the orderable number is not of."""
    cable = _first(roce, "mmf")
    judge.only("sold-length", cable.name, edit.cables(roce, {cable.name: {"family": "MCP4Y10"}}))


def test_route_shorter_than_the_floor_plan(roce, judge, edit):
    """A route of one metre cannot hold the slack of both ends, 3 m of fibre."""
    cable = _first(roce, "mmf")
    found = judge.only("route-length", cable.name, edit.cables(roce, {cable.name: {"route_m": 1.0}}))
    assert found.limit == cable.route_m


def test_route_longer_than_the_floor_plan_is_a_warning(roce, judge, edit):
    """A route as measured on site may be longer."""
    cable = _first(roce, "mmf")
    broken = edit.cables(roce, {cable.name: {"route_m": cable.route_m + 0.5}})
    judge.only("route-length", cable.name, broken, severity="warning")


def test_cable_shorter_than_its_route(roce, judge, edit):
    """A 5 m fibre on the route of a 10 m one."""
    long = max(roce.cabling.cables, key=lambda cable: cable.route_m)
    short = _first(roce, "mmf").part
    assert long.route_m > 5.0
    broken = edit.cables(roce, {long.name: {"part": short, "length_m": 5.0}})
    judge.only("cable-length", long.name, broken)


def test_fibre_beyond_the_reach_of_its_module(roce, judge, edit, catalog):
    """A module that reaches 3 m on fibres of 5 m and more."""
    module = _module_at(roce, "node-0001").part
    changed = edit.part(catalog, "transceivers", module, reach_m={"OM3": 3.0, "OM4": 3.0})
    found = judge.only("reach", roce.cabling.cable_of["node-0001.rail0"], roce, changed)
    assert found.limit == 3.0


def test_flat_module_in_a_finned_cage(roce, judge, edit, catalog):
    """A flat-top module in an air-cooled switch."""
    module = _module_at(roce, "leaf-su01-r0")
    changed = edit.part(catalog, "transceivers", module.part, top="flat")
    judge.only("form-factor", f"{module.device}:{module.cage}", roce, changed)


def test_copper_end_of_another_form(infiniband, judge, edit, catalog):
    """A cable whose ends are QSFP112, in OSFP cages."""
    cable = _first(infiniband, "acc")
    part = catalog.cables[cable.part]
    end = part.head.model_copy(update={"form_factor": "qsfp112"})
    changed = edit.part(catalog, "cables", cable.part, head=end, tails=(end,))
    judge.only("form-factor", cable.name, infiniband, changed)


def test_asymmetric_cable_is_turned_the_way_it_fits(infiniband, judge, edit, catalog):
    """A splitter whose head sits in the switch is no fault, whichever end of the link is written first."""
    cable = _first(infiniband, "dac")
    assert len(catalog.cables[cable.part].tails) == 2
    links = {
        link.name: {"a": link.b, "b": link.a}
        for link in infiniband.topology.links
        if infiniband.cabling.cable_of[link.name] == cable.name
    }
    turned = edit.links(infiniband, links)
    findings = judge.findings(turned)
    assert [each for each in findings if each.severity == "error"] == []


def test_module_on_slower_lanes(roce, judge, edit, catalog):
    """A module on lanes of 50G in a cage of 100G lanes."""
    module = _module_at(roce, "node-0001")
    changed = edit.part(catalog, "transceivers", module.part, lane_gbps=50)
    found = judge.only("part-rate", f"{module.device}:{module.cage}", roce, changed)
    assert (found.measured, found.limit) == (50, 100)


def test_connector_of_another_polish(roce, judge, edit, catalog):
    """A fibre that ends in LC where the module has MPO-12."""
    cable = _first(roce, "mmf")
    end = CableEnd(connector="lc-duplex-upc")
    judge.only("connector", cable.name, roce, edit.part(catalog, "cables", cable.part, head=end, tails=(end,)))


def test_two_kinds_of_optics_on_one_fibre(roce, judge, edit, catalog):
    """SR4 at one end and DR4 at the other."""
    module = _module_at(roce, "node-0001").part
    changed = edit.part(catalog, "transceivers", module, optics="400G-DR4")
    judge.only("optics-match", roce.cabling.cable_of["node-0001.rail0"], roce, changed)


def test_module_over_the_power_of_its_cage(infiniband, judge, edit, catalog):
    """20 W in a cage that supplies 17 W. Source of the 17 W: nv-docs-qm97xx-if."""
    module = next(each for each in infiniband.cabling.pluggables if each.device.startswith("leaf"))
    changed = edit.part(catalog, "transceivers", module.part, max_w=20.0)
    found = judge.only("cage-power", f"{module.device}:{module.cage}", infiniband, changed)
    assert (found.measured, found.limit) == (20.0, 17.0)


def test_node_module_in_a_switch(roce, judge, edit, catalog):
    """A module that its maker keeps out of switch cages."""
    module = _module_at(roce, "leaf-su01-r0")
    changed = edit.part(catalog, "transceivers", module.part, fits=("node",))
    judge.only("part-side", f"{module.device}:{module.cage}", roce, changed)


def test_switch_cable_to_a_node(infiniband, judge, edit, catalog):
    """A cable for switch-to-switch links at a node."""
    cable = _first(infiniband, "dac")
    changed = edit.part(catalog, "cables", cable.part, between=("switch-switch",))
    judge.only("part-side", cable.name, infiniband, changed)


def test_straight_and_split_fibre_in_one_module(roce, judge, edit, catalog):
    """One port of a twin module on a straight fibre, the other on a 1:2 splitter."""
    cable = _first(roce, "mmf")
    part = catalog.cables[cable.part]
    split = part.model_copy(update={"tails": (part.tails[0], part.tails[0])})
    changed = replace(catalog, cables={**catalog.cables, "split": split})
    link = next(link for link in roce.topology.links if roce.cabling.cable_of[link.name] == cable.name)
    judge.only(
        "twin-kind", f"{link.a.device}:{link.a.cage}", edit.cables(roce, {cable.name: {"part": "split"}}), changed
    )


def test_device_that_the_maker_does_not_name(roce, judge, edit, catalog):
    """A part qualified with other devices only is a warning, once per model."""
    module = _module_at(roce, "node-0001").part
    changed = edit.part(catalog, "transceivers", module, qualified_with=("nvidia-qm9700",))
    judge.only("qualification", module, roce, changed, severity="warning")


def test_medium_that_the_request_forbids(roce, judge, edit):
    """Multimode where uplinks must be single mode."""
    media = roce.request.fabric.media.model_copy(update={"leaf_spine": ("smf",)})
    cable = min(name for link, name in roce.cabling.cable_of.items() if link.startswith("leaf"))
    judge.only("media-allowed", cable, edit.request(roce, fabric={"media": media}))
