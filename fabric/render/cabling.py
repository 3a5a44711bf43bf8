"""Everything for the people who pull and check cables."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.model.design import Design
from fabric.render.connection import Connection, connections
from fabric.render.hca_mapping import HcaPort, hca_mapping
from fabric.render.label import Label, labels
from fabric.render.management import ManagementPort, management
from fabric.render.workbook import workbook
from fabric.table import text


def render_cabling(design: Design, catalog: Catalog) -> dict[str, str | bytes]:
    """Cabling sheet, labels, adapter map and out-of-band ports by their path in the design folder."""
    rows, stickers = connections(design, catalog), labels(design, catalog)
    return {
        "cabling/connections.csv": text(Connection, rows),
        "cabling/connections.xlsx": workbook(design, rows),
        "cabling/labels.csv": text(Label, stickers),
        "cabling/hca_mapping.csv": text(HcaPort, hca_mapping(design, catalog)),
        "management.csv": text(ManagementPort, management(design, catalog)),
    }
