"""A shape: the few numbers that fix a fabric of some family before a single device is named."""

from __future__ import annotations

from typing import TypeAlias

from fabric.model.dragonfly_shape import DragonflyPlusShape, DragonflyShape
from fabric.model.torus_shape import TorusShape
from fabric.model.tree_shape import FatTreeShape, PodTreeShape

MeshShape: TypeAlias = PodTreeShape | DragonflyShape | DragonflyPlusShape | TorusShape
"""Shapes of more than two tiers or of none, whose switches stand wherever links among them cost least."""

Shape: TypeAlias = FatTreeShape | PodTreeShape | DragonflyShape | DragonflyPlusShape | TorusShape
"""The shape of any family: each has `family`, `tiers`, `switch_links`, `summary` and `with_parts`."""
