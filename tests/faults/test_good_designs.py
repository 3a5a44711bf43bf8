"""What nothing is wrong with, and that every rule has its fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.checks import CheckContext, run
from fabric.checks._protocol import CHECKS
from fabric.io import request_file
from fabric.model.design import Design
from fabric.pipeline.choosing import Limits
from fabric.pipeline.designing import design


@pytest.mark.parametrize("name", ["roce", "infiniband", "planes"])
def test_unbroken_design_has_no_error(name, judge, request):
    """The designs that the fault tests break are clean before."""
    findings = judge.findings(request.getfixturevalue(name))
    assert [each for each in findings if each.severity != "info"] == []


@pytest.mark.parametrize("family", ["dragonfly", "dragonfly_plus", "torus"])
@pytest.mark.parametrize("attached", ["", "attached: [{role: storage, count: 2, ports: 2, gbps: 400}]"])
def test_unbroken_design_of_two_planes_has_no_error(family, attached, catalog, judge, tmp_path):
    """Every plane is judged by itself, with what is attached to it."""
    path = tmp_path / "request.yaml"
    fabric = f"family: {family}, link_layer: roce, switches: nvidia-sn5600, planes: 2, node_ports: 2"
    path.write_text(f"name: case\naccelerator: hgx-b300\nnodes: 16\n{attached}\nfabric: {{{fabric}}}\n", "utf-8")
    findings = judge.findings(design(request_file.load(path, catalog), catalog, limits=Limits(work=1)))
    assert [each for each in findings if each.severity == "error"] == []


def test_every_rule_has_a_fault():
    """Each registered rule is named by some test of this folder as the one that fires."""
    text = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*_faults.py"))
    assert [rule for rule in CHECKS if f'only("{rule}"' not in text and f'only(\n        "{rule}"' not in text] == []


def test_findings_are_the_same_twice_and_in_any_row_order(roce, catalog, edit):
    """The judge answers the same for the same design with its rows turned round."""
    broken = edit.request(roce, fabric={"oversubscription": 0.5, "min_spines": 8})
    turned = Design(
        **{
            **{field: getattr(broken, field) for field in broken.__dataclass_fields__},
            "topology": type(broken.topology)(
                broken.topology.family,
                broken.topology.parameters,
                broken.topology.devices[::-1],
                broken.topology.links[::-1],
            ),
        }
    )
    assert run(CheckContext(broken, catalog)) == run(CheckContext(turned, catalog))


def test_design_without_parts_is_not_checked_instead_of_passed(roce, catalog):
    """A bare topology passes nothing silently: every rule that needs more says what it lacks."""
    bare = Design(None, None, roce.topology)
    findings, gaps = run(CheckContext(bare, catalog))
    assert [each for each in findings if each.severity == "error"] == []
    lacking = {rule for rule in CHECKS if CHECKS[rule].needs}
    assert lacking <= {gap.rule for gap in gaps}
    assert {gap.why for gap in gaps if gap.rule == "route-length"} == {
        "the design has no cabling and no floor plan and no placement"
    }
