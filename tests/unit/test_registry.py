"""Registries: what is found, what is unknown, and a plug-in that is broken."""

from __future__ import annotations

import sys

import pytest

from fabric.errors import InputError
from fabric.registry import Registry

GOOD = """
from kinds_of_fruit import FRUIT

FRUIT.register("apple")("round")
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    """Function that makes a room of some modules and gives its registry."""

    def make(**modules):
        folder = tmp_path / "kinds_of_fruit"
        folder.mkdir()
        (folder / "__init__.py").write_text(
            "from fabric.registry import Registry\nFRUIT = Registry('kinds_of_fruit', 'fruit')\n"
        )
        for name, text in modules.items():
            (folder / f"{name}.py").write_text(text)
        monkeypatch.syspath_prepend(tmp_path)
        return __import__("kinds_of_fruit").FRUIT

    yield make
    for name in [name for name in sys.modules if name.startswith("kinds_of_fruit")]:
        del sys.modules[name]


def test_entries_are_found_by_name(room):
    """Modules register themselves at the first look-up."""
    fruit = room(apple=GOOD)
    assert list(fruit) == ["apple"]
    assert fruit["apple"] == "round"


def test_an_unknown_name_is_told_the_known_ones(room):
    """With the nearest spelling, if any is near."""
    fruit = room(apple=GOOD)
    with pytest.raises(InputError, match=r"^unknown fruit 'aple', did you mean apple\? Known: apple$"):
        fruit["aple"]
    with pytest.raises(InputError, match=r"^unknown fruit 'zucchini'\. Known: apple$"):
        fruit["zucchini"]


def test_a_broken_plug_in_raises_every_time(room):
    """Asked again it is broken still, not an unknown name."""
    fruit = room(apple=GOOD, pear="raise RuntimeError('rotten')")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="rotten"):
            fruit["apple"]


def test_a_name_given_twice_is_refused():
    """Two modules cannot share a name."""
    fruit = Registry("kinds_of_fruit", "fruit")
    fruit.register("apple")("round")
    with pytest.raises(ValueError, match="fruit 'apple' is registered twice"):
        fruit.register("apple")("square")
