"""Fabric: design and validation of the network fabric of an AI cluster.

Five nouns, `Request`, `FloorPlan`, `Catalog` → `Design` → `Report` (in `model` and `catalog`), and the verbs that lead
from one to the next: `pipeline.designing.design`, `pipeline.judging.evaluate`, `pipeline.writing.write`.
"""

from importlib.metadata import version

__version__ = version("fabricwright")
