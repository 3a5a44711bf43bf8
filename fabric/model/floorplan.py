"""The floor plan: racks, rows and cable trays, as they stand in `floorplan.yaml`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from fabric.model.record import NonNegative, Positive, PositiveCount, Record

Label = Annotated[
    str,
    Field(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$",
        description="1 to 63 letters, digits, dots, underscores and hyphens, a letter or digit first",
    ),
]
Coordinate = Annotated[float, Field(ge=-100_000, le=100_000, allow_inf_nan=False)]


class FixedPlace(Record):
    """A place kept for a device of one role: its lowest rack unit."""

    u: PositiveCount
    role: str


class Rack(Record):
    """One rack: position of its centre in plan [m], space, power and what may stand in it."""

    name: Label
    x_m: Coordinate
    y_m: Coordinate
    row: Label | None = None
    hall: Label | None = None
    units: Annotated[int, Field(ge=1, le=100)] = 48
    power_kw: Positive | None = None
    use: Literal["any", "node", "network"] = "any"
    cooling: Literal["air", "liquid", "any"] = "any"
    feed: Literal["ac", "dc", "any"] = "any"
    blocked_u: tuple[tuple[PositiveCount, PositiveCount], ...] = ()
    reserved_kw: NonNegative = 0.0
    place: tuple[FixedPlace, ...] = ()
    nodes: Annotated[int, Field(ge=0)] | None = None


class Row(Record):
    """A row in short form; it expands to racks `<name>01`, `<name>02` … along x."""

    name: Label
    racks: Annotated[int, Field(ge=1, le=1000)]
    x_m: Coordinate = 0.0
    y_m: Coordinate = 0.0
    pitch_m: Positive = 0.6
    hall: Label | None = None
    units: Annotated[int, Field(ge=1, le=100)] = 48
    power_kw: Positive | None = None
    use: Literal["any", "node", "network"] = "any"
    cooling: Literal["air", "liquid", "any"] = "any"
    feed: Literal["ac", "dc", "any"] = "any"

    def expand(self) -> tuple[Rack, ...]:
        """The row's racks, west to east."""
        shared = self.model_dump(exclude={"name", "racks", "x_m", "pitch_m"})
        width = max(2, len(str(self.racks)))
        return tuple(
            Rack(
                name=f"{self.name}{index + 1:0{width}d}",
                row=self.name,
                x_m=round(self.x_m + index * self.pitch_m, 6),
                **shared,
            )
            for index in range(self.racks)
        )


class TrayNode(Record):
    """A point of the tray graph [m]."""

    name: Label
    x_m: Coordinate
    y_m: Coordinate
    z_m: Coordinate


class TraySegment(Record):
    """A straight piece of tray between two tray nodes."""

    a: Label
    b: Label
    width_mm: Positive = 300.0
    depth_mm: Positive = 100.0
    fill_max: Annotated[float, Field(gt=0, le=1)] = 0.5


class TrayDrop(Record):
    """Where a rack's cables reach the tray graph."""

    rack: Label
    node: Label


class Trays(Record):
    """Overhead ladders: one over every row with cross ladders at the ends, or an explicit graph."""

    height_m: Positive = 2.9
    nodes: tuple[TrayNode, ...] = ()
    segments: tuple[TraySegment, ...] = ()
    drops: tuple[TrayDrop, ...] = ()


class Slack(Record):
    """Spare length at each end of a cable [m]."""

    copper: NonNegative = 0.5
    fibre: NonNegative = 1.5


class FloorPlan(Record):
    """A whole floor plan. `all_racks` is what the rooms use; `rows` is only a short way to write it."""

    racks: tuple[Rack, ...] = ()
    rows: tuple[Row, ...] = ()
    trays: Trays = Trays()
    slack_per_end_m: Slack = Slack()

    @field_validator("slack_per_end_m", mode="before", json_schema_input_type=NonNegative | Slack)
    @classmethod
    def _one_slack(cls, value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return {"copper": float(value), "fibre": float(value)}
        return value

    @model_validator(mode="after")
    def _consistent(self) -> FloorPlan:
        racks = self.all_racks
        if not racks:
            raise ValueError("a floor plan needs at least one rack, under racks or rows")
        names = [rack.name for rack in racks]
        twice = sorted({name for name in names if names.count(name) > 1}) if len(set(names)) < len(names) else []
        if twice:
            raise ValueError(f"rack names stand twice: {', '.join(twice[:5])}")
        return self

    @property
    def all_racks(self) -> tuple[Rack, ...]:
        """Every rack, the listed ones first, then those of the rows."""
        return self.racks + tuple(rack for row in self.rows for rack in row.expand())
