"""Loading: the shipped files as they are, overlays, and every fault of a bad file at its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from fabric.catalog.listing import show
from fabric.catalog.load import SCHEMAS, Catalog, load
from fabric.catalog.price import price
from fabric.errors import CatalogError
from fabric.model.request import Fabric
from fabric.nos.spec import known
from fabric.nos.spec import load as system
from fabric.resources import data_dir
from fabric.yaml_file import dump

NIC = """\
name: Test adapter
vendor: test
rates_gbps: [400]
ports: 1 x 400G
connectors: [osfp]
link_layers: [ethernet]
sources: [house]
confidence: estimate
"""
SOURCES = "house: {title: Notes of the house, publisher: us, kind: note}\n"


@pytest.fixture(scope="module")
def shipped() -> Catalog:
    """The shipped catalog."""
    return load()


def _overlay(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def _faults(folder: Path) -> list[str]:
    """Faults of an overlay, the folder's own name cut off."""
    with pytest.raises(CatalogError) as caught:
        load(folder)
    return [str(fault).removeprefix(f"{folder}/") for fault in caught.value.faults]


def test_every_shipped_file_is_a_part(shipped):
    """No file of a kind's folder is passed over, and each lies under its key."""
    for kind in SCHEMAS:
        files = {path.stem for path in (data_dir("catalog") / kind).iterdir()}
        assert files == set(getattr(shipped, kind))


def test_each_shipped_source_is_whole(shipped):
    """A source without a link must at least say what it is and who published it."""
    assert all(source.title and source.publisher and source.kind for source in shipped.sources.values())


def test_digest_follows_the_content(shipped, tmp_path):
    """The same files give the same digest, and any file of an overlay changes it."""
    assert load().digest == shipped.digest
    folder = _overlay(tmp_path, {"nics/test.yaml": NIC, "sources/house.yaml": SOURCES})
    first = load(folder).digest
    _overlay(tmp_path, {"nics/test.yaml": NIC.replace("400]", "200]")})
    assert len({shipped.digest, first, load(folder).digest}) == 3


def test_overlay_adds_and_replaces(shipped, tmp_path):
    """A new key is a new part; a known key takes the place of the shipped part; the overlay is kept as text."""
    files = {"nics/test.yaml": NIC, "nics/connectx-7.yaml": NIC, "sources/house.yaml": SOURCES}
    catalog = load(_overlay(tmp_path, files))
    assert catalog.nics["test"].name == catalog.nics["connectx-7"].name == "Test adapter"
    assert catalog.nics["connectx-8"] == shipped.nics["connectx-8"]
    assert catalog.overlay == files
    assert shipped.overlay == {}


@pytest.mark.parametrize("write", [dump, json.dumps], ids=["yaml", "json"])
@pytest.mark.parametrize(
    ("kind", "part"), [("switches", "nvidia-sn5400"), ("cables", "MCP7Y00-N001"), ("systems", "vr200-nvl72")]
)
def test_a_shown_part_is_an_overlay(shipped, tmp_path, kind, part, write):
    """What `show` prints, without `file`, is a part file with the same meaning."""
    entry = show(shipped, kind, part)
    path = entry.pop("file")
    catalog = load(_overlay(tmp_path, {path: write(entry)}))
    assert getattr(catalog, kind)[part] == getattr(shipped, kind)[part]


def test_own_prices_go_first(shipped, tmp_path):
    """`prices.csv` sets prices of known and unknown ones alike, with where they come from."""
    text = "part,price_usd,source,date\nMCP7Y00-N001,99.5,quote 17,2026-11-01\nnvidia-qm9700,30000,,\n"
    catalog = load(_overlay(tmp_path, {"prices.csv": text}))
    cable = price(catalog.cables["MCP7Y00-N001"], catalog)
    assert (cable.cents, cable.known, cable.source) == (9950, True, "quote 17")
    switch = price(catalog.switches["nvidia-qm9700"], catalog)
    assert (switch.cents, switch.known, switch.source) == (3_000_000, True, "prices.csv")
    assert price(shipped.switches["nvidia-qm9700"], shipped).cents == 3_287_000


def test_prices_from_a_spreadsheet(tmp_path):
    """The byte order mark that spreadsheets write is no fault, and no part of what is kept."""
    text = "part,price_usd\nnvidia-sn5600,40000\n"
    (tmp_path / "prices.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    catalog = load(tmp_path)
    assert catalog.switches["nvidia-sn5600"].price_usd == 40000
    assert catalog.overlay == {"prices.csv": text}


def test_bad_prices(tmp_path):
    """Every bad row is named."""
    text = "part,price_usd\nnvidia-qm970,1\nnvidia-qm9700,-1\nnvidia-sn5600,1\nnvidia-sn5600,2\nnvidia-sn5610,cheap\n"
    assert _faults(_overlay(tmp_path, {"prices.csv": text})) == ["prices.csv:6: price_usd: 'cheap' is not a number"]
    rest = text.replace("cheap", "3")
    assert _faults(_overlay(tmp_path, {"prices.csv": rest})) == [
        "prices.csv:2: part: unknown part 'nvidia-qm970', did you mean nvidia-qm9790?",
        "prices.csv:3: price_usd: -1 is below 0",
        "prices.csv:5: part: nvidia-sn5600 has a price in line 4 already",
    ]


def test_all_faults_of_all_files_at_once(tmp_path):
    """One run names every fault of every part file, with line, key and nearest spelling."""
    files = {
        "nics/a.yaml": NIC.replace("ports:", "prots:"),
        "nics/b.yaml": NIC.replace("[400]", "400").replace("ethernet", "ethernot"),
        "nics/c.yaml": NIC.replace("[house]", "[hose]") + "evidence: {max_w: {confidence: estimate}}\n",
        "sources/house.yaml": SOURCES,
    }
    expected = [
        ("nics/a.yaml:1: ports:", "missing"),
        ("nics/a.yaml:4: prots:", "did you mean ports?"),
        ("nics/b.yaml:3: rates_gbps:", "400 is not allowed"),
        ("nics/b.yaml:6: link_layers", "did you mean ethernet?"),
        ("nics/c.yaml:7: sources", "unknown source 'hose', did you mean house?"),
        ("nics/c.yaml:9: evidence.max_w:", "evidence for a figure that this file does not hold"),
    ]
    found = _faults(_overlay(tmp_path, files))
    for fault, (place, words) in zip(found, expected, strict=True):
        assert fault.startswith(place)
        assert words in fault


UCCL = "uccl-ep-low-latency-cx7-ib"
"""A stack with one fitted figure and the rest borrowed."""


def _changed(kind: str, part: str, old: str, new: str) -> dict[str, str]:
    """A shipped part file with one piece of its text replaced."""
    path = f"{kind}/{part}.yaml"
    text = (data_dir("catalog") / path).read_text(encoding="utf-8")
    assert old in text
    return {path: text.replace(old, new)}


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        (_changed("systems", "hgx-b200", "nic: connectx-7\n", "nic: conectx-7\n"), "no file of nics is called"),
        (_changed("switches", "nvidia-sn5600", "chip: spectrum-4", "chip: spectrum-9"), "no file of chips is called"),
        (_changed("switches", "chaoqing-n9500-64oc", "value: tomahawk-5", "value: tomahawk-9"), "planning.chip.value"),
        (_changed("switches", "chaoqing-n9500-64oc", "cooling: null", "cooling: air"), "a figure that is known"),
        (_changed("switches", "chaoqing-n9500-64oc", "  rack_units:\n", "  rack_unit:\n"), "did you mean rack_units?"),
        (_changed("switches", "nvidia-qm9700", "count: 32", "count: 0"), "cannot be allowed_for_design"),
        (_changed("systems", "dgx-h100", "cage: OSFP3, port_in_cage: 2", "cage: OSFP3, port_in_cage: 1"), "same port"),
        (_changed("systems", "dgx-h100", "rail: 3", "rail: 2"), "rails of host_ports"),
        (
            _changed("chips", "spectrum-4", "chip: spectrum-4", "chip: spectrum-5"),
            "must be the file's name, spectrum-4",
        ),
        (
            _changed("stacks", UCCL, "dispatch.alpha0_us: deepep-v1", "dispatch.alpha0_us: deepep-v9"),
            "no file of stacks",
        ),
        (_changed("stacks", UCCL, "rows: {uccl-ep: 4}", "rows: {uccl-eq: 4}"), "unknown source 'uccl-eq'"),
        (
            _changed("stacks", UCCL, "rows: {uccl-ep: 4}", "rows: {uccl-ep: 2}"),
            "1 free parameters for 2 rows; one needs 3",
        ),
        (
            _changed("stacks", UCCL, "dispatch.alpha0_us: deepep", "exchange.alpha0_us: deepep"),
            "which phases do not hold",
        ),
        (
            _changed("stacks", UCCL, "combine.alpha1_us]", "combine.alpha0_us]"),
            "no evidence says why: combine.alpha1_us",
        ),
        (_changed("stacks", UCCL, "link_layer:", "no_constants: bad\nlink_layer:"), "either phases or no_constants"),
        ({"cables/nvidia-qm9700.yaml": NIC}, "a part of the same name"),
        ({"sources/x.yaml": "sonic-platform-data: {title: t, publisher: p, kind: k}\n"}, "stands in another file too"),
        ({"switch/x.yaml": NIC}, "an overlay has no switch/, did you mean switches?"),
        ({"price.csv": "part,price_usd\n"}, "an overlay has no price.csv, did you mean prices.csv?"),
        ({"nics/x.yml": NIC}, "an overlay has no x.yml"),
        ({"nics/x.yaml": ""}, "this file is empty"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_broken_links_are_faults(tmp_path, files, fault):
    """A name that leads nowhere, a planning value beside a known figure, and files that are none of the catalog's."""
    assert any(fault in found for found in _faults(_overlay(tmp_path, files)))


def test_an_overlay_must_exist(tmp_path):
    """A mistyped folder is no empty overlay."""
    with pytest.raises(CatalogError, match="no such folder"):
        load(tmp_path / "none")


def test_binary_files_are_refused_together(tmp_path):
    """Files that hold no text are named, all of them."""
    (tmp_path / "nics").mkdir()
    for name in ("a", "b"):
        (tmp_path / "nics" / f"{name}.yaml").write_bytes(b"\xff\xfe")
    assert _faults(tmp_path) == [f"nics/{name}.yaml:1: not a text file in UTF-8" for name in ("a", "b")]


def test_every_family_is_graded_on_every_system():
    """Each family that a request can name, on each network operating system; below shipping a piece is missing."""
    families = set(get_args(Fabric.model_fields["family"].annotation)) - {"auto"}
    graded = load().family_support
    assert set(graded) == {f"{family}-{nos}" for family in families for nos in known()}
    for support in graded.values():
        assert support.link_layer == system(support.nos).link_layer
        assert (support.missing is None) == (support.grade == "shipping")


def test_pieces_that_are_missing_are_those_that_a_family_needs():
    """One lane carries the shortest ways of a dragonfly+; torus-2QoS has an engine for two and three dimensions."""
    graded = load().family_support
    for nos in ("sonic", "cumulus"):
        assert "must change its lossless priority there" in (graded[f"dragonfly-{nos}"].missing or "")
        assert "one priority is enough" in (graded[f"dragonfly_plus-{nos}"].missing or "")
    assert not (graded["torus-nvos"].missing or "").startswith("an engine for other")
