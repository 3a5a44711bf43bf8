"""Rows of tables of whole numbers that are equal."""

from __future__ import annotations

import numpy as np

from fabric.layout.ladder import Whole


def distinct_rows(rows: Whole) -> tuple[Whole, Whole]:
    """Where each distinct row of `rows` (rows, columns) stands first, and the number of each row among the distinct.

    Entries are from 0 up. It folds column by column, which is many times faster than comparing rows.
    """
    first = number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        base = int(column.max(initial=0)) + 1
        _, first, number = np.unique(number * base + column, return_index=True, return_inverse=True)
    return first, number
