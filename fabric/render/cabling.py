"""Everything for the people who pull and check cables."""

from __future__ import annotations

from fabric.catalog.load import Catalog
from fabric.model.design import Design
from fabric.render.connection import CableSheet, Connection
from fabric.render.hca_mapping import HcaPort, hca_mapping
from fabric.render.label import Label, labels
from fabric.render.management import ManagementPort, management
from fabric.render.workbook import workbook
from fabric.table import text


def render_cabling(design: Design, catalog: Catalog, sheet: CableSheet) -> dict[str, str | bytes]:
    """Cabling sheet, labels, adapter map and out-of-band ports by their path in the design folder."""
    return {
        "cabling/connections.csv": text(Connection, sheet.rows),
        "cabling/connections.xlsx": workbook(design, sheet.rows),
        "cabling/labels.csv": text(Label, labels(design, sheet)),
        "cabling/hca_mapping.csv": text(HcaPort, hca_mapping(design, catalog)),
        "management.csv": text(ManagementPort, management(design, catalog)),
    }
