"""Time of one phase by the constants of the stack that fits: of the network, or of the inside of a domain."""

from __future__ import annotations

from dataclasses import replace

from fabric.catalog.load import Catalog
from fabric.errors import Fault, InputError
from fabric.flow.latency import Loss, PhaseLoad, PhaseTime, StackConstants, phase_time
from fabric.flow.wire import PAYLOAD_BYTES
from fabric.model.request import Request, Transport
from fabric.model.workload import Workload
from fabric.pipeline.scale_up import Inside, constants_inside
from fabric.pipeline.stacks import choices, named, stack_of


def timed(
    workload: Workload, load: PhaseLoad, inside: Inside, port_gbps: float, request: Request, catalog: Catalog
) -> tuple[PhaseTime, StackConstants]:
    """Time of a phase, and the constants that give it: of the protocols of a library the fastest.

    Args:
        workload: as asked.
        load: what the phase puts on ports and links.
        inside: what of it stays in scale-up domains.
        port_gbps: rate of one node port.
        request: with the link layer and the transport.
        catalog: its stacks.

    Raises:
        InputError: nothing is known to time it with.
    """
    if inside.is_all:
        known: tuple[StackConstants, ...] = (constants_inside(inside, workload, catalog),)
    else:
        _, stack = stack_of(workload, request.fabric.part_layer, catalog)
        with named(workload):
            known = choices(inside.phase, stack, port_gbps, catalog)
    load = replace(load, scale_up_us=inside.time_us * workload.slow_rank)
    found = [(phase_time(each, load, _loss(request.transport, each)), each) for each in known]
    fastest = min(found, key=lambda each: each[0].total_us)
    if fastest[0].total_us < 0:
        message = f"the constants of its stack make {fastest[0].total_us:.1f} us of its {inside.phase} over these ways"
        raise InputError(Fault(message, key=f"workloads.{workload.name}.stack"))
    return fastest


def _loss(transport: Transport, constants: StackConstants) -> Loss | None:
    if not transport.loss_rate:
        return None
    window = constants.bandwidth_gbyte_s * 1000 * transport.round_trip_us / PAYLOAD_BYTES
    return Loss(transport.loss_rate, window, transport.retransmission == "selective_repeat")
