"""A step of the sliding window, next to Ceres on the same windows."""

import dataclasses
import time
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from steelyard.bench._ceres import CeresWindow
from steelyard.bench._race import keep_mass, lap, race
from steelyard.bench._rows import BenchRow
from steelyard.bench._scenario import RaceScenario, lay_out
from steelyard.bench._tuning import RACE
from steelyard.estimators import Guess, SlidingWindow, Window, WindowBelief, replay

WINDOW_RACES = RACE.rounds
"""Rounds in all, for those who show progress."""


@dataclasses.dataclass(frozen=True)
class WindowScenario:
    """A flight, the window over it, and both runners' windows along it."""

    scenario: RaceScenario
    estimator: SlidingWindow
    belief: WindowBelief

    def windows(self, rows: list[int]) -> list[tuple[Window, WindowBelief]]:
        """At each of these rows of the flight: the window not solved yet, and ours after the step.

        Ask for rows from `window` on: before the window is full it has moments to which no time leads.
        """
        step = eqx.filter_jit(lambda belief, sample: _both(self.estimator, belief, sample))
        belief, found = self.belief, []
        for k in range(max(rows) + 1):
            unsolved, belief = step(belief, jax.tree.map(lambda leaf, k=k: leaf[k], self.scenario.samples))
            if k in rows:
                found.append((unsolved, belief))
        return found


def _both(estimator: SlidingWindow, belief: WindowBelief, sample) -> tuple[Window, WindowBelief]:
    predicted = estimator.predict(belief, sample.control, sample.dt)
    return estimator.unsolved(predicted, sample.measurement), estimator.update(predicted, sample.measurement)


def lay_out_window(
    seconds: float = 4.0, window: int = RACE.window, iterations: int = RACE.iterations
) -> WindowScenario:
    """The filters' scenario, its loss switched off: Ceres is asked for least squares."""
    scenario = lay_out(seconds)
    noise = eqx.tree_at(lambda n: n.drift, scenario.estimator.noise, jnp.array(RACE.drift))
    estimator = SlidingWindow(scenario.estimator.model, noise, window, iterations, loss=jnp.inf)
    return WindowScenario(scenario, estimator, estimator.init(Guess(scenario.belief.state, scenario.belief.std)))


def measure_window(advance: Callable[[int], None] = lambda steps: None) -> list[BenchRow]:
    """Microseconds a step, and how far the two answers are apart; the peer takes as many iterations as ours.

    Only Ceres' solving is timed, not the setting up of its problem, which a program in C++ would do but once.
    """
    scenario = lay_out_window()
    ours = scenario.estimator
    samples = scenario.scenario.samples
    windows = scenario.windows(list(range(RACE.window, 200, 8)))

    def run() -> None:
        jax.block_until_ready(replay(ours, scenario.belief, samples, keep_mass))

    def peer_lap() -> float:
        peers = [CeresWindow(unsolved) for unsolved, _ in windows]
        begin = time.perf_counter()
        for peer in peers:
            peer.solve(ours.iterations)
        return (time.perf_counter() - begin) / len(peers)

    run()
    mine, theirs = race(lap(run, samples.dt.shape[0]), peer_lap, advance)
    difference = max(answer_difference(unsolved, belief) for unsolved, belief in windows)
    return [
        BenchRow("window_step", mine, "us", theirs),
        BenchRow("window_answer_difference", difference, "1"),
    ]


def answer_difference(unsolved: Window, belief: WindowBelief) -> float:
    """Between the newest state of Ceres, run until it converges, and ours.

    The largest of attitude, in rad, of position and velocity, relative to their norms, and of mass, relative to itself.
    """
    peer = CeresWindow(unsolved)
    peer.solve()
    theirs, state = peer.states()[-1], belief.state
    q = np.asarray(state.attitude.wxyz)
    turned = 2.0 * np.linalg.norm(theirs.q - np.sign(q @ theirs.q) * q)
    parts = ((theirs.rest[:3], state.position), (theirs.rest[3:6], state.velocity))
    relative = [float(np.linalg.norm(a - np.asarray(b)) / np.linalg.norm(a)) for a, b in parts]
    return max(float(turned), *relative, abs(float(np.expm1(theirs.rest[6] - float(state.log_mass)))))
