"""Everything for the people who pull and check cables."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.content import Content, Streamed
from fabric.model.design import Design
from fabric.render.connection import CableSheet, Connection
from fabric.render.free_port import FreePort, free_ports
from fabric.render.hca_mapping import HcaPort, hca_mapping
from fabric.render.label import Label, labels
from fabric.render.management import ManagementPort, management
from fabric.render.workbook import workbook
from fabric.table import lines


def render_cabling(design: Design, catalog: Catalog, sheet: CableSheet) -> dict[str, Content]:
    """Cabling sheet, labels, adapter map, free and out-of-band ports by their path in the design folder."""
    return {
        "cabling/connections.csv": Streamed(lambda: lines(Connection, sheet.rows())),
        "cabling/connections.xlsx": Streamed(lambda: (workbook(design, sheet),)),
        "cabling/labels.csv": Streamed(lambda: lines(Label, labels(design, sheet))),
        "cabling/hca_mapping.csv": Streamed(lambda: lines(HcaPort, hca_mapping(design, catalog))),
        "cabling/free_ports.csv": Streamed(lambda: lines(FreePort, free_ports(design, catalog))),
        "management.csv": Streamed(lambda: lines(ManagementPort, management(design, catalog))),
    }
