"""Errors that no sensor should have, looked for after the fit: what each would have to be for the readings to fit best.

The fit has no unknown for them, because good sensors do not have them and each would cost accuracy. The last linear
solution has them as further unknowns, everything else free, and shows whether the log contradicts that:

    torque   = (1 + scale) torque + ...       one part of the wrench in other units, or calibrated wrongly
    force    = force(t - delay)               a force that is filtered, or late, against its torque
    force    = diag(1 + x, 1 + y, 1 - x - y) force      axes of different gains; what they have in common is mass
    wrench   = wrench + smoothing wrench''       both parts are filtered, and the motion signals are not, or otherwise
    gyro     = (1 + scale) C omega + bias     rates in other units; with the velocity's, a clock that is fast or slow
    velocity = (1 + scale) Exp(turn) v        a velocity in other units or axes
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from steelyard._rotations import skew
from steelyard.problems.rigid_body._problem import Problem, State
from steelyard.problems.rigid_body._residuals import Block, wrench_regressor
from steelyard.problems.rigid_body._tuning import TUNING


@dataclasses.dataclass(frozen=True)
class Check:
    """One error that was looked for."""

    name: str
    value: np.ndarray
    """(k,): what it would have to be; a share, s or rad."""
    std: np.ndarray

    @property
    def deviations(self) -> np.ndarray:
        """(k,): size over standard deviation; large, and finite, where rounding left no deviation."""
        return np.abs(self.value) / np.maximum(self.std, np.finfo(float).tiny ** 0.5)

    @property
    def found(self) -> bool:
        """Whether it is there beyond doubt, and larger than what sensors have."""
        size = TUNING.check_sizes[self.name]
        resolved = self.std < TUNING.check_resolution * size
        return bool(np.any(resolved & (np.abs(self.value) > np.maximum(TUNING.check_deviations * self.std, size))))


@dataclasses.dataclass(frozen=True, eq=False)
class CheckedBlocks:
    """Blocks with further columns, after those of the unknowns: one for each number of each check."""

    blocks: list[Block]
    slices: dict[str, slice]
    prior: np.ndarray
    """Standard deviations of unknowns and checks."""
    size: int
    """Number of unknowns."""

    def checks(self, values: np.ndarray, covariance: np.ndarray) -> tuple[Check, ...]:
        """From a solution with all of them."""
        found = []
        for name, at in self.slices.items():
            T = np.eye(at.stop - at.start)
            if name == "force_gains":  # that of z follows from the two that are unknowns
                T = np.vstack([T, -np.ones(2)])
            variance = np.einsum("ia,ab,ib->i", T, covariance[at, at], T)
            found.append(Check(name, T @ values[at], np.sqrt(np.maximum(variance, 0.0))))
        return tuple(found)


def with_checks(problem: Problem, state: State, blocks: Sequence[Block]) -> CheckedBlocks:
    """Blocks of a problem, the wrench's first, with all checks that its signals allow."""
    found, slices, prior, size = list(blocks), {}, [state.prior], problem.at.size
    for k, (signal, channel) in enumerate(problem.record.channels.items()):
        for name, derivative in _derivatives(problem, state, signal).items():
            count = derivative.shape[2]
            found[k] = with_columns(found[k], derivative / channel.std[:, None], np.arange(size, size + count))
            slices[name] = slice(size, size + count)
            prior.append(np.full(count, TUNING.check_prior[name]))
            size += count
    return CheckedBlocks(found, slices, np.concatenate(prior), problem.at.size)


def _derivatives(problem: Problem, state: State, signal: str) -> dict[str, np.ndarray]:
    """By check, (n, k, c): how the readings of a signal depend on it, in SI units."""
    motion, rows = state.motion, state.rows[signal]
    if signal == "wrench":
        s, omega, alpha = motion.specific_force[rows], motion.angular[rows], motion.angular_acceleration[rows]
        wrench = wrench_regressor(s, omega, alpha) @ state.unknowns.carried
        scale, delay = np.zeros((len(rows), 6, 1)), np.zeros((len(rows), 6, 1))
        scale[:, :3, 0] = wrench[:, :3]
        rate = np.gradient(wrench, problem.record.wrench.time, axis=0)
        delay[:, 3:, 0] = -rate[:, 3:]
        bent = np.gradient(rate, problem.record.wrench.time, axis=0)[:, :, None]
        gains = np.zeros((len(rows), 6, 2))
        gains[:, 3, 0], gains[:, 4, 1], gains[:, 5] = wrench[:, 3], wrench[:, 4], -wrench[:, 5:]
        return {"torque_scale": scale, "force_delay": delay, "wrench_smoothing": bent, "force_gains": gains}
    if signal == "twist/angular":
        return {"gyro_scale": (motion.angular[rows] @ state.unknowns.rotation.T)[:, :, None]}
    if signal == "twist/linear":
        v = motion.velocity[rows]
        return {"velocity_scale": v[:, :, None], "velocity_rotation": -skew(v)}
    return {}


def with_columns(block: Block, derivative: np.ndarray, columns: np.ndarray) -> Block:
    """The block with derivatives (n, k, c) by further unknowns."""
    return dataclasses.replace(
        block,
        columns=np.concatenate([block.columns, columns]),
        by_unknowns=np.concatenate([block.by_unknowns, derivative], axis=2),
    )
