"""Figures of a generated hall. A site's own floor plan replaces every one of them."""

from __future__ import annotations

RACK_UNITS_COUNT = 48
"""Height of a rack [U]. Source: rack-unit-article."""

RACK_PITCH_M = 0.6
"""Centre to centre of neighbours in a row [m]; an assumed cabinet width, no source seen."""

RACK_POWER_KW = 60.0
"""Power of an ordinary rack [kW]: the limit of a typical existing hall. Source: gb200-rack-report."""

ROW_RACKS_COUNT = 20
"""Most racks of one row. Source: risa-circulation."""

COLD_AISLE_PITCH_M = 2.4
"""Centre to centre of rows that face each other [m]: 1.2 m racks, 1.2 m aisle. Source: tia-942-cold-aisle-page."""

HOT_AISLE_PITCH_M = 2.2
"""Centre to centre of rows back to back [m]: 1.2 m racks and an assumed aisle of 1.0 m."""
