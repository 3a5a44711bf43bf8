"""What is configured: addresses, and lossless settings per port."""

from __future__ import annotations

from dataclasses import dataclass

from fabric.model.topology import COMPUTE


@dataclass(frozen=True, slots=True)
class DeviceAddress:
    """A device's own numbers: autonomous system, loopback, GUID (InfiniBand placeholder) and management address."""

    device: str
    asn: int | None = None
    loopback: str | None = None
    guid: str | None = None
    mgmt_ip: str | None = None


@dataclass(frozen=True, slots=True)
class LinkAddress:
    """The two addresses of one link, with prefix length; end `a` and end `b` as in the link."""

    link: str
    a_ip: str
    b_ip: str


@dataclass(frozen=True, slots=True)
class LosslessPort:
    """Lossless settings of one switch port, all thresholds in bytes, `pmax` in percent.

    Ethernet ports have PFC thresholds for one priority; InfiniBand ports have virtual lanes and the credit that
    full rate needs per lane. Columns of the other link layer are None.
    """

    device: str
    port: str
    rate_gbps: int
    cable_m: float
    priority: int | None = None
    xoff: int | None = None
    xon: int | None = None
    kmin: int | None = None
    kmax: int | None = None
    pmax: float | None = None
    size: int | None = None
    virtual_lanes: int | None = None
    credit: int | None = None
    fabric: str = COMPUTE


@dataclass(frozen=True)
class Settings:
    """Addresses and lossless rows, each sorted by its first columns."""

    devices: tuple[DeviceAddress, ...] = ()
    links: tuple[LinkAddress, ...] = ()
    lossless: tuple[LosslessPort, ...] = ()
