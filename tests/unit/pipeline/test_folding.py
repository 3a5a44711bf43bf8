"""Names in short form: known forms, and that they stand for exactly the names given."""

from __future__ import annotations

import itertools
import re

from hypothesis import given
from hypothesis import strategies as st

from fabric.pipeline.folding import fold


def unfolded(text: str) -> list[str]:
    """All names that a short form stands for."""
    choices = []
    for part in re.split(r"(\[[^\]]*\])", text):
        if not part.startswith("["):
            choices.append([part])
            continue
        numbers = []
        for run in part[1:-1].split(","):
            first, _, last = run.partition("-")
            numbers += [f"{value:0{len(first)}d}" for value in range(int(first), int(last or first) + 1)]
        choices.append(numbers)
    return ["".join(words) for words in itertools.product(*choices)]


def test_combinations_of_numbers():
    """All combinations are one text; leading zeros stay; what is missing divides it."""
    names = [f"leaf-su{unit:02d}-r{rail}" for unit in range(1, 12) for rail in (0, 1, 3)]
    assert fold(names) == ("leaf-su[01-11]-r[0-1,3]",)
    assert fold(names[1:]) == ("leaf-su01-r[1,3]", "leaf-su[02-11]-r[0-1,3]")
    assert fold(["a9", "a10", "a08", "b", "plane 0"]) == ("a[9,08,10]", "b", "plane 0")
    assert fold([]) == ()


@given(st.sets(st.from_regex(r"[ab](0?[0-9]|1[0-2])(:[0-3])?", fullmatch=True), max_size=40))
def test_a_short_form_stands_for_its_names(names):
    """Each name once and no other."""
    found = [name for text in fold(sorted(names)) for name in unfolded(text)]
    assert sorted(found) == sorted(names)
