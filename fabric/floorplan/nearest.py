"""How near to each other racks of a generated hall can stand, whatever stands in them."""

from __future__ import annotations

from functools import cache
from itertools import chain

import numpy as np

from fabric.floorplan import hall
from fabric.floorplan.trays import Floats


@cache
def nearest_racks_m(count: int) -> Floats:
    """(count,) least ways along the ladders from a rack of any generated hall to the nearest others [m], ascending.

    In its own row stand at most ROW_RACKS_COUNT racks, and at every step of RACK_PITCH_M no more than two. Another row
    is reached over one of its ends; from there no more than two of its racks stand at every step, one from either
    end. Rows are apart by cold and hot aisles in turn, so on one side a cold one comes first, on the other a hot one.
    Racks that are taken out close their row up, which this allows for, because it never asks which racks there are.
    """
    step_m, in_row = hall.RACK_PITCH_M, np.arange(1, hall.ROW_RACKS_COUNT)
    own_m = (in_row + 1) // 2 * step_m
    along_m = np.arange(hall.ROW_RACKS_COUNT) // 2 * step_m
    # Every row apart holds two racks on each side that are as near as rows can be: farther rows hold none of `count`.
    apart_m = chain.from_iterable(_apart_m(rows) for rows in range(1, count // 4 + 2))
    others_m = [along_m + way_m for way_m in apart_m]
    return np.sort(np.concatenate([own_m, *others_m]))[:count]


def _apart_m(rows: int) -> tuple[float, float]:
    """Least distances [m] of two rows so many rows apart, when a cold aisle comes first and when a hot one does."""
    pairs, odd = divmod(rows, 2)
    both_m = pairs * (hall.COLD_AISLE_PITCH_M + hall.HOT_AISLE_PITCH_M)
    return both_m + odd * hall.COLD_AISLE_PITCH_M, both_m + odd * hall.HOT_AISLE_PITCH_M
