"""A multirotor and its mass filter in one pure step: flights are simulated and filtered where they are drawn.

The world is the filter's own model with the filter's own noise, so that its stated covariance must hold: over many
flights 95 % of the intervals cover the truth, and the normalised estimation error squared (NEES) averages ten.
"""

import dataclasses
import math
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from steelyard.campaigns._tuning import SIMULATED
from steelyard.errors import BadInput, nearest
from steelyard.estimators import ExtendedKalman, Guess, Noise, Sample
from steelyard.geometry import SO3, local, retract
from steelyard.models import Multirotor, MultirotorControl, MultirotorReading, MultirotorState

STATES = 10
NORMALS = 14
"""Numbers drawn a row: four of the inputs, nine of the readings, one of the mass; the first row draws the start."""


class SimulatedFlight(eqx.Module):
    """The truth, what the filter believes, and the row."""

    truth: MultirotorState
    belief: Any
    row: Int[Array, ""]


class SimulatedMassFilter(eqx.Module):
    """The step: the world moves on, is read, and the filter takes the reading in."""

    estimator: ExtendedKalman

    @staticmethod
    def build() -> "SimulatedMassFilter":
        """The ten-state filter of `steelyard bench`."""
        noise = Noise(
            measurement=jnp.array(SIMULATED.noise),
            control=jnp.array(SIMULATED.control_noise),
            drift=jnp.array([0.0] * 9 + [SIMULATED.drift]),
            blind=jnp.ones(4),
        )
        return SimulatedMassFilter(ExtendedKalman(Multirotor(), noise))

    def start(self) -> SimulatedFlight:
        """Every flight's; its first row draws where the truth is around it."""
        none = jnp.zeros(0)
        at_rest = SO3(jnp.array([1.0, 0.0, 0.0, 0.0]))
        state = MultirotorState(at_rest, jnp.zeros(3), jnp.zeros(3), jnp.log(jnp.asarray(1.2)), none, none)
        belief = self.estimator.init(Guess(state, jnp.array(SIMULATED.start)))
        return SimulatedFlight(state, belief, jnp.asarray(0))

    def step(self, flight: SimulatedFlight, normals: Float[Array, " drawn"]) -> SimulatedFlight:
        """One row; `normals` are independent and standard."""
        first = flight.row == 0
        began = retract(flight.truth, jnp.array(SIMULATED.start) * normals[:STATES])
        truth, sample = self.world(flight.truth, flight.row, normals)
        belief = self.estimator.step(flight.belief, sample)
        after = SimulatedFlight(truth, belief, flight.row)
        before = SimulatedFlight(began, flight.belief, flight.row)
        chosen = jax.tree.map(lambda a, b: jnp.where(first, a, b), before, after)
        return SimulatedFlight(chosen.truth, chosen.belief, flight.row + 1)

    def world(
        self, truth: MultirotorState, row: Int[Array, ""], normals: Float[Array, " drawn"]
    ) -> tuple[MultirotorState, Sample]:
        """The truth a row later, and the sample of that row."""
        model, noise, dt = self.estimator.model, self.estimator.noise, 1.0 / SIMULATED.rate
        t = row.astype(float) / SIMULATED.rate
        rates = jnp.stack([0.8 * jnp.cos(2.1 * t), 0.7 * jnp.cos(1.7 * t + 0.6), 0.3 * jnp.cos(0.9 * t)])
        thrust = 1.2 * 9.81 * (1.0 + 0.15 * jnp.sin(3.3 * t))
        moved = model.dynamics(truth, MultirotorControl(thrust, rates), jnp.asarray(dt))
        walked = moved.log_mass + SIMULATED.drift * math.sqrt(dt) * normals[13]
        truth = eqx.tree_at(lambda s: s.log_mass, moved, walked)
        error = jnp.asarray(noise.control) * normals[:4]
        control = MultirotorControl(thrust + error[0], rates + error[1:])
        read = MultirotorReading(truth.attitude, truth.position, truth.velocity)
        read = retract(read, jnp.asarray(noise.measurement) * normals[4:13])
        return truth, Sample(jnp.asarray(dt), control, read)


class SimulatedWorld(eqx.Module):
    """The world alone, for those who want its samples."""

    simulated: SimulatedMassFilter

    def start(self) -> tuple[MultirotorState, Int[Array, ""], Sample]:
        """Truth, row, and a sample of the shapes to come."""
        flight = self.simulated.start()
        return flight.truth, flight.row, self.simulated.world(flight.truth, flight.row, jnp.zeros(NORMALS))[1]

    def step(self, state: Any, normals: Float[Array, " drawn"]) -> tuple[MultirotorState, Int[Array, ""], Sample]:
        """The next truth and the sample of its row; it starts in the middle of what the filter expects."""
        truth, sample = self.simulated.world(state[0], state[1], normals)
        return truth, state[1] + 1, sample


@dataclasses.dataclass(frozen=True)
class FilterCoverage:
    """How the stated covariance held at the end of many flights."""

    flights: int
    inside: np.ndarray
    """Of each of the ten error coordinates: flights whose 95 % interval holds the truth."""
    nees: float
    """Its mean; ten where the covariance is right."""
    squares: np.ndarray
    """Of each coordinate: mean of the squared error over the stated variance."""
    rms: np.ndarray
    """Of each coordinate's error."""
    log_mass: np.ndarray
    """Each flight's estimate, for comparisons."""


def fly_simulated(flights: int, rows: int, seed: int, engine: str = "auto", single: bool = False) -> FilterCoverage:
    """Simulates and filters so many flights on an engine, `native` or `cuda`, and counts what the intervals held."""
    from steelyard.native import cuda_drawn_campaign, cuda_pays, native_drawn_campaign

    if engine not in ("auto", "native", "cuda"):
        raise BadInput(f'Unknown engine "{engine}"; {nearest(engine, ["auto", "native", "cuda"])}')
    on_gpu = engine == "cuda" or (engine == "auto" and cuda_pays(flights, flights * rows))
    fly = cuda_drawn_campaign if on_gpu else native_drawn_campaign
    stepper = SimulatedMassFilter.build()
    ended = fly(stepper, stepper.start(), NORMALS, flights, rows + 1, seed, lambda flight: (), single).belief
    error = np.array(_errors(ended.belief.state, ended.truth))
    covariance = np.asarray(ended.belief.covariance)
    std = np.sqrt(np.einsum("fii->fi", covariance))
    inside = np.abs(error) < 1.959963984540054 * std
    nees = np.einsum("fi,fi->f", error, np.linalg.solve(covariance, error[:, :, None])[:, :, 0])
    squares, rms = np.mean((error / std) ** 2, axis=0), np.sqrt(np.mean(error**2, axis=0))
    log_mass = np.asarray(ended.belief.state.log_mass)
    return FilterCoverage(flights, inside.sum(axis=0), float(nees.mean()), squares, rms, log_mass)


@jax.jit
def _errors(estimates: MultirotorState, truths: MultirotorState) -> Float[Array, "flights state"]:
    return jax.vmap(local)(estimates, truths)
