"""Configuration files of every switch, and of the subnet manager of an InfiniBand fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.load import Catalog
from fabric.errors import ArtifactError, Fault
from fabric.model.design import Design
from fabric.model.switch_view import SwitchView
from fabric.nos.spec import load
from fabric.render.opensm import render_opensm
from fabric.render.switch_views import views
from fabric.render.templates import template


def render_configs(design: Design, catalog: Catalog) -> dict[str, str]:
    """Text of every configuration file by its path in the design folder.

    A system without files of its own (NVOS takes its settings from the subnet manager) adds none.

    Raises:
        ArtifactError: see `views`; or a switch without the numbers that its configuration needs.
    """
    configured = [view for view in views(design, catalog) if load(view.nos).files]
    faults = [fault for view in configured for fault in _gaps(view)]
    if faults:
        raise ArtifactError(*faults)
    files = {
        f"switches/{view.name}/{file}": template(source).render(switch=view)
        for view in configured
        for file, source in load(view.nos).files.items()
    }
    return files | render_opensm(design)


def _gaps(view: SwitchView) -> Iterator[Fault]:
    """What a configuration cannot do without and a design read from tables may lack."""
    for column, value in (("asn", view.asn), ("loopback", view.loopback)):
        if value is None:
            yield Fault(f"switch {view.name} has none; a configuration needs it", "devices.csv", key=column)
    for port in view.used_ports:
        if port.ip is None:
            yield Fault(f"{view.name}:{port.name} has no address", "links.csv", key="a_ip")
