"""The data set of the sesame paper: five trajectories, five mass profiles, fifty repetitions, flown by an MPC."""

import dataclasses
import functools
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from steelyard.geometry import SO3
from steelyard.models import common_rotor_bench
from steelyard.worlds.multirotor._mpc import TUNING, Pose, begin, replan
from steelyard.worlds.multirotor._profiles import PROFILES, ProfileName, mass_at
from steelyard.worlds.multirotor._scenario import MultirotorScenario
from steelyard.worlds.multirotor._trajectories import FLIGHT_TIME, TRAJECTORIES, TrajectoryName, lay_trajectory
from steelyard.worlds.multirotor._tuning import WORLD
from steelyard.worlds.multirotor._vehicle import ROTORS, at_rest, columns_of, move, sense

SESAME_REPETITIONS = 50
ROWS_A_COMMAND = 2
"""The MPC commands at 50 Hz, the log has 100 rows a second."""
SESAME_AIRFRAME = MultirotorScenario(duration=FLIGHT_TIME)
"""The vehicle and its sensors: the defaults of `simulate multirotor`."""

_STEP = ROWS_A_COMMAND / SESAME_AIRFRAME.rate
_COMMANDS = round(FLIGHT_TIME / _STEP)


@dataclasses.dataclass(frozen=True)
class SesameScenario:
    """One of the 1250."""

    trajectory: TrajectoryName
    profile: ProfileName
    repetition: int
    step: float = 0.3
    """Size of a single step of the mass, as a share of it."""

    @property
    def name(self) -> str:
        """`loop/steps/07`."""
        return f"{self.trajectory}/{self.profile}/{self.repetition:02d}"


def sesame_flights(repetitions: int = SESAME_REPETITIONS) -> Iterator[SesameScenario]:
    """The data set, repetition by repetition: the first tenth is as varied as the whole."""
    for repetition in range(repetitions):
        for trajectory in TRAJECTORIES:
            for profile in PROFILES:
                yield SesameScenario(trajectory, profile, repetition)


def fly_sesame(scenario: SesameScenario, seed: int) -> dict[str, np.ndarray]:
    """One flight as NumPy columns. `r1/thrust` is what the MPC asked for, [sesame, Eq. (44)], not what acted.

    The rotors lose some of it, according to their bench map; `r1/throttle/1`... go through that map.
    """
    names = (TRAJECTORIES.index(scenario.trajectory), PROFILES.index(scenario.profile), scenario.repetition)
    reference = lay_trajectory(
        scenario.trajectory, np.random.default_rng([seed, *names]), _STEP, TUNING.nodes * TUNING.spacing
    )
    key = jax.random.key(seed)
    for name in names:
        key = jax.random.fold_in(key, name)
    time = jnp.arange(_COMMANDS * ROWS_A_COMMAND) / SESAME_AIRFRAME.rate

    def mass(t):
        return mass_at(scenario.profile, SESAME_AIRFRAME.mass, FLIGHT_TIME, t, scenario.step)

    wanted = Pose(
        SO3(jnp.asarray(reference.attitude)), jnp.asarray(reference.position), jnp.asarray(reference.velocity)
    )
    columns = _fly(wanted, jnp.asarray(reference.inputs), mass(time + 0.5 / SESAME_AIRFRAME.rate), mass(time), key)
    return {"time": np.asarray(time)} | {name: np.asarray(column) for name, column in columns.items()}


@jax.jit
def _fly(
    wanted: Pose,
    wanted_inputs: Float[Array, "grid 4"],
    mass: Float[Array, " time"],
    logged_mass: Float[Array, " time"],
    key: Array,
) -> dict[str, Array]:
    """Every command: sense, plan, hold for some rows."""
    start_key, motor_key, sensor_key = jax.random.split(key, 3)
    rows = (_COMMANDS, ROWS_A_COMMAND)
    draws = jax.random.normal(motor_key, rows), jax.random.normal(sensor_key, (*rows, 4, 3))
    bench = common_rotor_bench()
    start = at_rest(wanted.position[0] + 0.05 * jax.random.normal(start_key, (3,)), SESAME_AIRFRAME.mass)
    every = round(TUNING.spacing / _STEP)

    def ahead(leaf, k):
        return jax.lax.dynamic_slice_in_dim(leaf, k, TUNING.nodes * every + 1)[::every]

    def command(carry, given):
        vehicle, plan = carry
        k, masses, motor, sensors = given
        seen = sense(SESAME_AIRFRAME, vehicle, sensors[0])
        now = Pose(seen.attitude, seen.position, seen.velocity)
        nodes = jax.tree.map(functools.partial(ahead, k=k), wanted)
        plan = replan(plan, now, nodes, ahead(wanted_inputs, k)[:-1], _STEP)
        thrust, rates = SESAME_AIRFRAME.mass * plan.inputs[0, 0], plan.inputs[0, 1:]
        throttle = thrust / (ROTORS * WORLD.asked_thrust)
        acts = ROTORS * bench.thrust(throttle)
        logged = []
        for row in range(ROWS_A_COMMAND):
            logged.append((sense(SESAME_AIRFRAME, vehicle, sensors[row]), thrust, 100.0 * throttle))
            vehicle = move(
                SESAME_AIRFRAME,
                vehicle,
                lambda s, row=row: masses[row],
                acts,
                rates,
                motor[row],
                1.0 / SESAME_AIRFRAME.rate,
            )
        return (vehicle, plan), jax.tree.map(lambda *leaves: jnp.stack(leaves), *logged)

    given = (jnp.arange(_COMMANDS), mass.reshape(rows), *draws)
    _, logged = jax.lax.scan(command, (start, begin()), given)
    readings, thrust, throttle = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), logged)
    return columns_of(readings, thrust, throttle, logged_mass)
