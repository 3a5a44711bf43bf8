"""Jinja, set up so that a missing value stops the run instead of leaving a hole in a configuration."""

from __future__ import annotations

import json
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from fabric.resources import data_dir


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(data_dir("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 -- switch configurations are not HTML; names are checked before they come here
    )
    environment.filters["quote"] = json.dumps
    return environment


def template(name: str) -> Template:
    """The template at `name` under `templates/`, compiled once."""
    return _environment().get_template(name)
