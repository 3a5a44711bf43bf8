"""Where packets may go: the states that they can be in, and the steps between these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fabric.model.network import IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """What a routing scheme makes of a network.

    A state is a switch and what a packet there has behind it. A packet starts in the state `start` of its first switch
    and has arrived in any state of its last. Of all ways there it takes those with the fewest steps, and in each state
    it splits over the next steps of such ways in proportion to their rates.

    Attributes:
        state_switch: (n_states,) switch of each state.
        start: (n_edges,) state in which packets start at each leaf or router.
        step_from: (n_steps,) state before each step.
        step_to: (n_steps,) state after it.
        step_arc: (n_steps,) arc of the network that it takes.
        step_lane: (n_steps,) lane (virtual lane, or lossless priority) that it takes there.
    """

    state_switch: IntArray
    start: IntArray
    step_from: IntArray
    step_to: IntArray
    step_arc: IntArray
    step_lane: IntArray

    @property
    def lane_count(self) -> int:
        """Lanes in use."""
        return int(self.step_lane.max(initial=0)) + 1


Routes: TypeAlias = tuple[Paths, ...]
"""Paths in order of preference: a pair that has no way on the first takes the next, as after a failure."""
