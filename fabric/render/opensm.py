"""Files of the subnet manager: routing engine, roots, virtual lanes."""

from __future__ import annotations

from fabric.content import Content
from fabric.lossless.credits import MAX_OP_VLS_CODE, vl_plan
from fabric.model.design import Design
from fabric.model.settings import Settings
from fabric.model.topology import Topology
from fabric.render.templates import template
from fabric.render.torus_seeds import torus_seeds

TREE_ENGINES = "ftree,updn"
"""Fat-tree routing spreads destinations evenly; on a damaged tree up/down still is free of loops."""

LANE_ENGINES = "dfsssp,nue"
"""Shortest paths dealt to lanes until no circle is left; nue, which may detour, where lanes run out.

Source: opensm-manual."""

GROUP_ENGINES = f"dfp,{LANE_ENGINES}"
"""The vendor's engine for groups of leaves and spines; open OpenSM has none of that name and takes the next."""

TORUS_ENGINES = "torus-2QoS,no_fallback"
"""Another engine would hand out other service levels, under which running jobs may deadlock.

Source: torus-2qos-manual."""


SCOPES = {False: ("qos", "qos_ca", "qos_swe"), True: ("qos_ca", "qos_swe")}
"""Ports that arbitration is set for; torus-2QoS maps levels on its own and takes no common table."""


def render_opensm(design: Design) -> dict[str, Content]:
    """`opensm/opensm.conf`, and for a tree `opensm/root_guids.txt`, for a torus its seeds; nothing on Ethernet.

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
    seeds = torus_seeds(design)
    files: dict[str, Content] = {
        "opensm/opensm.conf": template("opensm/opensm.conf.j2").render(
            engines=_engines(design.topology, is_seeded=seeds is not None),
            rooted=bool(roots),
            root="core" if design.topology.with_role("core") else "spine",
            seeded=seeds is not None,
            lanes_vary=lanes_count > 1,
            scopes=SCOPES[seeds is not None],
            planes=1 + max((device.plane or 0 for device in design.topology.devices), default=0),
            plan=plan,
            weights=",".join(f"{lane}:{weight}" for lane, weight in enumerate(plan.weights)),
        )
    }
    if seeds is not None:
        files["opensm/torus-2QoS.conf"] = seeds
    if roots:
        files["opensm/root_guids.txt"] = "".join(f"{guid}\n" for guid in roots)
    return files


def _engines(topology: Topology, *, is_seeded: bool) -> str:
    """Routing engines that fit, the best first."""
    if topology.of_kind("local", "global", "torus"):
        if is_seeded:
            return TORUS_ENGINES
        return GROUP_ENGINES if topology.with_role("spine") else LANE_ENGINES
    return TREE_ENGINES if topology.with_role("spine") else "minhop"


def _roots(topology: Topology, settings: Settings) -> tuple[str, ...]:
    """GUIDs of a tree's top tier: cores where there are any, else spines."""
    if topology.of_kind("global"):
        return ()
    guid = {row.device: row.guid for row in settings.devices}
    top = topology.with_role("core") or topology.with_role("spine")
    return tuple(found for device in top if (found := guid.get(device.name)))
