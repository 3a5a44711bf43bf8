"""What every file of the catalog says about itself: where its figures come from and how sure they are."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, RootModel

Confidence = Literal["datasheet", "standard", "measured", "estimate", "unconfirmed"]
"""From a vendor's document; a standard; a measurement; a derivation or a second-hand page; one weak page or none."""

Count = Annotated[int, Field(ge=0)]
Figure = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class PartRecord(BaseModel):
    """Base of all that the catalog's files hold: frozen, strict types, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Source(PartRecord):
    """A document, page, program or measurement that figures come from."""

    title: str
    publisher: str
    url: str | None = None
    kind: str


class SourceFile(RootModel[dict[str, Source]]):
    """Sources of one topic, by the key that other files cite."""


class Evidence(PartRecord):
    """Where one figure comes from, when not from the file's own sources."""

    source: str | None = None
    confidence: Confidence | None = None
    note: str | None = None


class PlanningValue(PartRecord):
    """A stand-in for a figure nobody published, and why it is reasonable."""

    value: bool | int | float | str
    reason: Annotated[str, Field(min_length=1)]


class Sourced(PartRecord):
    """What every file holds besides its figures.

    Every figure has the file's `sources` and `confidence` unless `evidence` says otherwise for that figure, named by
    its dotted path.
    """

    sources: tuple[str, ...]
    confidence: Confidence
    evidence: dict[str, Evidence] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()


class Part(Sourced):
    """A piece of hardware; its key is the file's name, its `family` what several orderable numbers share."""

    name: str
    vendor: str
    family: str | None = None
    aliases: tuple[str, ...] = ()
    allowed_for_design: bool = True
    status: Literal["active", "planned", "prototype", "no_longer_sold", "unknown"] = "active"
    price_usd: Figure | None = None
    planning: dict[str, PlanningValue] = Field(default_factory=dict)

    @property
    def can_be_bought(self) -> bool:
        """Whether a design may choose the part."""
        return self.allowed_for_design and self.status != "no_longer_sold"

    def figure(self, field: str) -> Any:  # noqa: ANN401 -- the type is the named field's
        """The field's value, or its planning value where the field is None."""
        value = getattr(self, field)
        if value is None and field in self.planning:
            return self.planning[field].value
        return value
