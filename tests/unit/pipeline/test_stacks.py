"""Constants of a stack for phases that it was measured in, and for those that it was not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from fabric.catalog import load as catalog_load
from fabric.errors import InputError
from fabric.flow.latency import PhaseLoad
from fabric.model.request import Fabric, Request
from fabric.model.workload import Workload
from fabric.pipeline.scale_up import Inside
from fabric.pipeline.stacks import constants_of
from fabric.pipeline.timing import timed

CATALOG = catalog_load.load()
KERNELS = CATALOG.stacks["deepep-v1-low-latency-cx7-ib"]


def test_single_exchanges_stand_in_for_each_other():
    """A plain exchange over kernels of experts is their dispatch; a dispatch over NCCL its exchange."""
    plain, dispatch = (constants_of(name, KERNELS, 400, CATALOG) for name in ("exchange", "dispatch"))
    assert (plain.alpha0_us, plain.bandwidth_gbyte_s) == (dispatch.alpha0_us, dispatch.bandwidth_gbyte_s)
    nccl = CATALOG.stacks["nccl-alltoall-cx7"]
    assert constants_of("dispatch", nccl, 400, CATALOG).alpha0_us == nccl.figure("exchange").alpha0_us


@pytest.mark.parametrize("chain", ["ring", "tree", "in_network"])
def test_no_exchange_stands_in_for_a_chain(chain):
    """Thirty ways in series, each 1.8 us shorter than the fitted one, had made -20 us of a ring."""
    with pytest.raises(InputError, match="has no steps of"):
        constants_of(chain, KERNELS, 400, CATALOG)


@pytest.mark.parametrize("key", ["pplx-kernels-ibgda", "torch-all-to-all-cx7-ib"])
def test_a_stack_without_constants_says_why(key):
    """Not that its constants hold inside a domain, as of a stack of one node."""
    with pytest.raises(InputError, match="has no constants to predict with"):
        constants_of("dispatch", CATALOG.stacks[key], 400, CATALOG)
    with pytest.raises(InputError, match="hold inside one scale-up domain"):
        constants_of("dispatch", CATALOG.stacks["deepep-v1-low-latency-hgx-node"], 400, CATALOG)


def test_no_time_below_zero():
    """Constants that take more off a way than they hold are refused, with the time."""
    load = PhaseLoad(2, 0.0, 0.0, 0.0, 0.0, 1.0)
    work = Workload(name="job", pattern="all_to_all", ranks=16, bytes_per_rank=1, stack="odd")
    figure = KERNELS.phases["dispatch"].model_copy(update={"alpha0_us": 0.0, "alpha1_us": 0.0})
    stack = KERNELS.model_copy(update={"phases": {"exchange": figure}, "fitted_hop_count": 9})
    catalog = SimpleNamespace(stacks={"odd": stack}, link_layers=CATALOG.link_layers)
    request = Request(name="x", accelerator="hgx-h100", nodes=2, fabric=Fabric(link_layer="infiniband"))
    inside = Inside("exchange", is_all=False, sent_bytes=0.0, line_us=0.0, stack=None, time_us=0.0)
    with pytest.raises(InputError, match=r"workloads.job.stack: the constants of its stack make -5\.4 us of"):
        timed(work, load, inside, 400.0, request, catalog)
