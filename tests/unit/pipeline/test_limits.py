"""A budget below the bound is refused only where the bound is a proof: every part priced, every shape bounded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabric.catalog.load import load as load_catalog
from fabric.errors import InfeasibleError
from fabric.model.request import Request
from fabric.pipeline.limits import refuse_budget

SHIPPED = load_catalog()


def priced(parts):
    """The parts, each of 1 USD where no price is known."""
    return {
        key: part if part.price_usd is not None else part.model_copy(update={"price_usd": 1.0}) for key, part in parts
    }


PRICED = replace(
    SHIPPED,
    switches=priced(SHIPPED.switches.items()),
    cables=priced(SHIPPED.cables.items()),
    transceivers=priced(SHIPPED.transceivers.items()),
)

EXCHANGE = {"name": "job", "pattern": "all_to_all", "ranks": 16, "bytes_per_rank": 1000}


def asked(budget_usd, **keys):
    """A request with a budget."""
    body = {
        "name": "case",
        "accelerator": "hgx-h100",
        "nodes": 8,
        "fabric": {"family": "fat_tree", "link_layer": "infiniband"},
    }
    return Request.model_validate(body | {"limits": {"budget_usd": budget_usd}} | keys)


def test_a_bound_above_the_budget_is_a_proof():
    """3,000,000.01 USD at least are above 3,000,000; the same to the cent is not."""
    with pytest.raises(InfeasibleError) as error:
        refuse_budget(300_000_001, asked(3_000_000.0), PRICED)
    (conflict,) = error.value.conflict
    assert (conflict.key, conflict.value) == ("limits.budget_usd", "3,000,000 USD")
    assert "cost at least 3,000,000.01 USD" in conflict.arithmetic
    refuse_budget(300_000_000, asked(3_000_000.0), PRICED)


@pytest.mark.parametrize(
    ("keys", "catalog"),
    [
        ({}, SHIPPED),
        ({"objective": ("power", "capex")}, PRICED),
        ({"workloads": ({**EXCHANGE, "limit_us": {"p99": 1.0}},)}, PRICED),
    ],
    ids=["parts without a price", "another goal first", "shapes passed over as too slow"],
)
def test_a_bound_that_does_not_cover_everything_proves_nothing(keys, catalog):
    """The design found is then judged by its findings."""
    refuse_budget(300_000_001, asked(3_000_000.0, **keys), catalog)


def test_a_workload_without_a_limit_takes_nothing_from_the_proof():
    """No shape is passed over for it."""
    with pytest.raises(InfeasibleError):
        refuse_budget(300_000_001, asked(3_000_000.0, workloads=(EXCHANGE,)), PRICED)
