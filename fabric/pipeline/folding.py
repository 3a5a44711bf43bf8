"""Many names in few words: numbers that follow each other in brackets, as clusters write lists of hosts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

_NUMBERS = re.compile(r"(\d+)")

Box: TypeAlias = tuple[tuple[str, ...], ...]
"""For each number of a name the texts that it may be: all their combinations."""


def fold(names: Iterable[str]) -> tuple[str, ...]:
    """Names in the short form `leaf-[01-16]-r[0,2]`: each stands for all combinations of its brackets.

    Numbers keep their leading zeros. Every name is covered once; names that differ by more than numbers stand apart.
    """
    shapes: dict[tuple[str, ...], list[Box]] = {}
    for name in names:
        words = _NUMBERS.split(name)
        shapes.setdefault(tuple(words[::2]), []).append(tuple((number,) for number in words[1::2]))
    return tuple(_text(words, box) for words, boxes in shapes.items() for box in _merged(boxes))


def _merged(boxes: Sequence[Box]) -> Sequence[Box]:
    """Boxes that differ by one number made one, the last number of a name first."""
    if len(boxes) == 1:
        return boxes
    for axis in reversed(range(len(boxes[0]))):
        rows: dict[tuple[Box, Box], list[str]] = {}
        for box in boxes:
            rows.setdefault((box[:axis], box[axis + 1 :]), []).extend(box[axis])
        boxes = [(*before, tuple(texts), *after) for (before, after), texts in rows.items()]
    return boxes


def _text(words: Sequence[str], box: Box) -> str:
    brackets = [texts[0] if len(texts) == 1 else f"[{','.join(_runs(texts))}]" for texts in box]
    return "".join(part for pair in zip(words, [*brackets, ""], strict=True) for part in pair)


def _runs(texts: Iterable[str]) -> Iterable[str]:
    """Numbers in ascending order, those that follow each other as first and last."""
    runs: list[list[str]] = []
    for text in sorted(texts, key=lambda one: (len(one), one)):
        if runs and text == _after(runs[-1][-1]):
            runs[-1][1:] = [text]
        else:
            runs.append([text])
    return ("-".join(run) for run in runs)


def _after(text: str) -> str:
    """The number that follows, as wide."""
    return f"{int(text) + 1:0{len(text)}d}"
