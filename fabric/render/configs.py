"""Configuration files of every switch, and of the subnet manager of an InfiniBand fabric."""

from __future__ import annotations

from collections.abc import Iterator

from fabric.catalog.load import Catalog
from fabric.content import Content, Streamed
from fabric.errors import ArtifactError, Fault
from fabric.model.design import Design
from fabric.model.switch_view import SwitchView
from fabric.nos.spec import load
from fabric.render.opensm import render_opensm
from fabric.render.switch_views import Views
from fabric.render.templates import template


def render_configs(design: Design, catalog: Catalog) -> dict[str, Content]:
    """Text of every configuration file by its path in the design folder.

    A system without files of its own (NVOS takes its settings from the subnet manager) adds none.

    Raises:
        ArtifactError: see `Views`; or a switch without the numbers that its configuration needs.
    """
    views = Views(design, catalog)
    files: dict[str, Content] = {}
    faults: list[Fault] = []
    for view in views:
        sources = load(view.nos).files
        faults.extend(_gaps(view) if sources else ())
        files |= {f"switches/{view.name}/{file}": _text(views, view.name, source) for file, source in sources.items()}
    if faults:
        raise ArtifactError(*faults)
    return files | render_opensm(design)


def _text(views: Views, name: str, source: str) -> Streamed:
    """A template filled in for one switch."""
    return Streamed(lambda: (template(source).render(switch=views.of(name)),))


def _gaps(view: SwitchView) -> Iterator[Fault]:
    """What a configuration cannot do without and a design read from tables may lack."""
    for column, value in (("asn", view.asn), ("loopback", view.loopback)):
        if value is None:
            yield Fault(f"switch {view.name} has none; a configuration needs it", "devices.csv", key=column)
    for port in view.used_ports:
        if port.ip is None:
            yield Fault(f"{view.name}:{port.name} has no address", "links.csv", key="a_ip")
