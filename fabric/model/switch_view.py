"""One switch as its configuration sees it, in the words of no particular system.

A template prints a `SwitchView` and decides nothing: every name, number and map that stands in a configuration stands
here first. Ports keep the order of the faceplate.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PeerView:
    """What is at the far end of a port; `asn` is None on a device that routes nothing."""

    device: str
    port: str
    ip: str | None
    asn: int | None


@dataclass(frozen=True, slots=True)
class PortView:
    """One port; a free port has neither peer, address, cable nor profiles, and is shut.

    `index` is the number of its cage, `subport` its place in a split cage from 1 (0: the cage is whole), `lanes` the
    electrical lanes joined by commas, `ip` an address with prefix length, `cable_m` its cable rounded up.
    """

    name: str
    alias: str
    index: int
    subport: int
    lanes: str
    speed_mbps: int
    peer: PeerView | None = None
    ip: str | None = None
    cable_m: int | None = None
    headroom_profile: str | None = None
    ecn_profile: str | None = None

    @property
    def address(self) -> str | None:
        """The port's address without prefix length."""
        return self.ip.partition("/")[0] if self.ip else None


@dataclass(frozen=True, slots=True)
class HeadroomProfile:
    """Buffer of one lossless priority group: reserved, resume and headroom [bytes], alpha = 2^`dynamic_th`."""

    name: str
    size_bytes: int
    xon_bytes: int
    xon_offset_bytes: int
    xoff_bytes: int
    dynamic_th: int


@dataclass(frozen=True, slots=True)
class EcnProfile:
    """Marking between two queue lengths [bytes], up to a probability [%] at the second."""

    name: str
    kmin_bytes: int
    kmax_bytes: int
    pmax_pct: int


@dataclass(frozen=True, slots=True)
class QosView:
    """One chain from code point to priority; a traffic class has the queue and pause priority of its number.

    `traffic_classes` is the class of each of the 64 code points, `priority_groups` the ingress group of each of the 8
    classes. Weights are shares of what the strict CNP class leaves [%].
    """

    rdma_tc: int
    cnp_tc: int
    best_effort_tc: int
    traffic_classes: tuple[int, ...]
    priority_groups: tuple[int, ...]
    rdma_weight_pct: int
    best_effort_weight_pct: int


@dataclass(frozen=True, slots=True)
class BufferView:
    """Packet memory: the lossless pool and the headroom all ports share in it [bytes]; None: the switch sizes it."""

    model: str
    pool_bytes: int | None
    headroom_pool_bytes: int
    lossy_reserved_bytes: int
    lossy_dynamic_th: int
    unlimited_dynamic_th: int
    profiles: tuple[HeadroomProfile, ...]

    @property
    def egress_mode(self) -> str:
        """`static` where the pool's size is known and can be the limit of the lossless queues, else `dynamic`."""
        return "dynamic" if self.pool_bytes is None else "static"


@dataclass(frozen=True, slots=True)
class WatchdogView:
    """PFC watchdog: how often it looks, when it acts, when it lets go [ms]."""

    poll_ms: int
    detect_ms: int
    restore_ms: int


@dataclass(frozen=True, slots=True)
class LosslessView:
    """Everything that makes one priority of an Ethernet switch lossless."""

    qos: QosView
    buffer: BufferView
    ecn: tuple[EcnProfile, ...]
    watchdog: WatchdogView


@dataclass(frozen=True, slots=True)
class PrefixView:
    """Routes of a fabric: every network inside `network` with at least `length` bits."""

    network: str
    length: int


@dataclass(frozen=True, slots=True)
class SwitchView:
    """One switch. `type` and `fec` are words of its system; `ecmp_paths` is the most equal paths to one device."""

    name: str
    role: str
    part: str
    nos: str
    type: str
    fec: str
    mtu_bytes: int
    asn: int | None
    loopback: str | None
    ecmp_paths: int
    ports: tuple[PortView, ...]
    routes: tuple[PrefixView, ...]
    lossless: LosslessView | None

    @property
    def used_ports(self) -> tuple[PortView, ...]:
        """Ports with a cable."""
        return tuple(port for port in self.ports if port.peer)

    @property
    def lossless_ports(self) -> tuple[PortView, ...]:
        """Ports with headroom."""
        return tuple(port for port in self.ports if port.headroom_profile)

    @property
    def sessions(self) -> tuple[PortView, ...]:
        """Ports whose far end is a router."""
        return tuple(port for port in self.ports if port.peer and port.peer.asn is not None)
