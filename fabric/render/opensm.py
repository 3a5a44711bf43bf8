"""Files of the subnet manager: routing engine, roots, virtual lanes."""

from __future__ import annotations

from fabric.lossless.credits import MAX_OP_VLS_CODE, vl_plan
from fabric.model.design import Design
from fabric.model.settings import Settings
from fabric.model.topology import Topology
from fabric.render.templates import template


def render_opensm(design: Design) -> dict[str, str]:
    """`opensm/opensm.conf` and, for a tree, `opensm/root_guids.txt`; nothing on Ethernet.

    The GUIDs of the roots are the design's placeholders. They say which switches are roots and are replaced by the
    burnt-in GUIDs of these switches before the subnet manager starts.
    """
    if design.request is None or design.settings is None:
        return {}
    if design.request.fabric.link_layer != "infiniband":
        return {}
    roots = _roots(design.topology, design.settings)
    lanes_count = max((row.virtual_lanes or 1 for row in design.settings.lossless), default=1)
    plan = vl_plan(qos_levels_count=lanes_count, available_count=max(MAX_OP_VLS_CODE))
    files = {
        "opensm/opensm.conf": template("opensm/opensm.conf.j2").render(
            # Fat-tree routing spreads destinations evenly; on a damaged tree up/down still is free of loops.
            engines="ftree,updn" if roots else "minhop",
            rooted=bool(roots),
            planes=1 + max((device.plane or 0 for device in design.topology.devices), default=0),
            plan=plan,
            weights=",".join(f"{lane}:{weight}" for lane, weight in enumerate(plan.weights)),
        )
    }
    if roots:
        files["opensm/root_guids.txt"] = "".join(f"{guid}\n" for guid in roots)
    return files


def _roots(topology: Topology, settings: Settings) -> tuple[str, ...]:
    """GUIDs of the top tier: cores where there are any, else spines."""
    guid = {row.device: row.guid for row in settings.devices}
    top = topology.with_role("core") or topology.with_role("spine")
    return tuple(found for device in top if (found := guid.get(device.name)))
