"""Plain values to canonical YAML text."""

from __future__ import annotations

from collections.abc import Mapping

import yaml

from fabric.yaml_file.scan import scalar


class _Dumper(yaml.CSafeDumper):
    """Block style without aliases; quotes what our reader would not take for text."""

    def ignore_aliases(self, data: object) -> bool:  # noqa: ARG002 -- the base class fixes the signature
        return True


def _text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    style = None if isinstance(scalar(value), str) else "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def _whole_keys(data: object) -> object:
    """`data` with every key that reads as a whole number bare: keys are text whether quoted or not."""
    if isinstance(data, Mapping):
        return {
            int(key) if isinstance(scalar(str(key)), int) and str(key).isdigit() else key: _whole_keys(value)
            for key, value in data.items()
        }
    return [_whole_keys(item) for item in data] if isinstance(data, tuple | list) else data


def dump(data: object) -> str:
    """Canonical text of None, bool, int, float, str, tuple, list and dict: keys in the order given.

    `parse` gives the same values back (keys as text), and dumping those gives the same text.
    """
    return yaml.dump(
        _whole_keys(data),
        Dumper=_Dumper,
        default_flow_style=False,
        sort_keys=False,
        allow_unicode=True,
        width=110,
    )
