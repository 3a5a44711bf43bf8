"""Fabric: design and validation of the network fabric of an AI cluster.

Five nouns, `Request`, `FloorPlan`, `Catalog` → `Design` → `Report`, and the verbs `design`, `evaluate`, `render`.
"""

from importlib.metadata import version

__version__ = version("fabricwright")
