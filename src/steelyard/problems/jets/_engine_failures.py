"""Engines that fail: found by their own evidence or by their rotor speed, named, and no longer believed."""

from typing import Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from steelyard.estimators import (
    Estimator,
    ExtendedKalman,
    Guess,
    Headed,
    KalmanBelief,
    Noise,
    Shadows,
    followed,
    forwards,
    update_belief,
)
from steelyard.geometry import product, retract, wide_product
from steelyard.models import (
    FlyingControl,
    FlyingReading,
    FlyingRobot,
    FlyingState,
    RobotPose,
    Seconds,
    ThrustInput,
    rotor_speed,
)

Schedule = Literal["none", "speed", "evidence"]

_GATE = 8.0
"""Standard deviations beyond which a reading is doubted."""


class EngineWatch(eqx.Module):
    """What is thought of every engine."""

    failed: Float[Array, " engine"]
    """1 while it is not believed, else 0."""
    evidence: Float[Array, " engine"]
    """How much likelier lately's data are if this engine has left its model, natural logarithm."""
    twin: Float[Array, " engine"]
    """Thrust of a healthy engine under the same throttle, N."""
    twin_rate: Float[Array, " jet"]
    """N/s."""
    agreed: Float[Array, " engine"]
    """How long a failed engine has agreed with its twin, s; a moment of disagreement costs twice its length."""


class ScheduledBelief(Headed):
    """A Gaussian belief, and what is thought of the engines."""

    kalman: KalmanBelief
    shadows: Shadows
    """A column an engine: what an engine that leaves its model would have done to the state by now."""
    watch: EngineWatch
    pose: RobotPose
    wrench: Float[Array, " feet"]
    """Of the soles over the last step, N m and N."""

    @property
    def head(self) -> KalmanBelief:
        """What is believed of now."""
        return self.kalman


class ScheduledKalman(Estimator):
    """The thrust filter of a flying robot, and which of its engines it believes [ironcub, Sec. V-E].

    With `speed`, an engine whose rotor is further than `rpm_threshold` from where a healthy one would be has its
    process noise raised, as in the paper. With `evidence`, no rotor speed is needed: for every engine a column follows
    what a steady push beside its model would do to the innovations, and their likelihood ratio names the one that
    failed. That engine's equation is then no longer believed, until its thrust agrees with a healthy twin's again.
    """

    robot: FlyingRobot
    noise: Noise
    schedule: Schedule = eqx.field(static=True, default="evidence")
    threshold: float = 4.5
    """Evidence asked for, natural logarithm."""
    margin: float = 3.0
    """By which the evidence against one engine must exceed that against every other."""
    memory: float = 0.4
    """Time over which evidence fades, s."""
    roughness: float = 0.5
    """How well a sole's wrench is known between two rows, as a share of how much it has changed: when a robot strikes
    the ground, rows miss the peak. Roads not taken: not to judge engines for a while after a jump of the momentum,
    which an engine that dies makes too, or after a sole lands, which leaves thrusts wrong that are called certain."""
    push: float = 60.0
    """Standard deviation of what a failure does to an engine's highest derivative, N/s² (jet) or N/s."""
    failed_drift: float = 150.0
    """Random walk of the highest state of an engine that is not believed, N/s per √s (jet) or N per √s."""
    offset_drift: float = 20.0
    """Random walk of what such an engine has beside its model, N/s² per √s: it is learnt anew afterwards."""
    rpm_threshold: float = 8.0
    """Thousands of rpm."""
    agreement: float = 0.07
    """Share of its maximum within which a failed engine agrees with its twin."""
    patience: float = 1.0
    """How long it must agree before it is believed again, s."""

    def init(self, guess: Guess) -> ScheduledBelief:
        """All engines are believed."""
        pose = self.robot.idle(guess.state).pose
        kalman = ExtendedKalman(self.robot.at(pose, pose.contact), self.noise).init(guess)
        n = kalman.state.thrust.shape[0]
        watch = EngineWatch(jnp.zeros(n), jnp.zeros(n), kalman.state.thrust, kalman.state.thrust_rate, jnp.zeros(n))
        shadows = Shadows.none(kalman.covariance.shape[0], n)
        return ScheduledBelief(kalman, shadows, watch, pose, jnp.full(pose.contact.shape, jnp.nan))

    def predict(self, belief: ScheduledBelief, control: FlyingControl, dt: Seconds) -> ScheduledBelief:
        """The filter's prediction; engines that failed move as they like."""
        failed, pose, state = belief.watch.failed, control.pose, belief.kalman.state
        moving = state.thrust.shape[0] + state.thrust_rate.shape[0] + 6
        if self.schedule == "evidence":
            pose = eqx.tree_at(lambda p: p.trust, pose, pose.trust * (1.0 - failed))
        loose = self.failed_drift * product(self._highest(), failed) + self.offset_drift * _offsets(
            belief.state, failed
        )
        wrench, shaken = self._soles(belief, pose, control.input.wrench, forwards(dt))
        before = moving - 6
        drift = jnp.sqrt(self.noise.drift**2 + loose**2 + jnp.zeros_like(loose).at[before:moving].set(shaken))
        noise = eqx.tree_at(lambda noise: noise.drift, self._noise_of_throttles(), drift)
        model = self.robot.at(pose, wrench)
        filter = ExtendedKalman(model, noise, constants=self.noise.drift.shape[0] - moving)
        throttles = ThrustInput(control.input.throttle, jnp.zeros(0))
        kalman, transition = filter.predict_with(belief.kalman, throttles, dt)
        passed = forwards(dt)
        keep = jnp.exp(-passed / self.memory)
        columns = belief.shadows.columns
        carried = jnp.concatenate([wide_product(transition.F[:moving], columns), columns[moving:]])  # the rest stays
        pushed = keep * carried + passed * self._highest()
        shadows = Shadows(
            pushed * (1.0 - failed)[None, :], keep * belief.shadows.score, keep * belief.shadows.information
        )
        shadows = followed(kalman, shadows, belief.shadows)
        watch = self._twins(belief, transition.control.throttle, passed)
        return ScheduledBelief(kalman, shadows, watch, pose, control.input.wrench)

    def update(self, belief: ScheduledBelief, measurement: FlyingReading) -> ScheduledBelief:
        """The filter's update; then the engines are judged."""
        model = self.robot.at(belief.pose, belief.pose.contact)  # no reading depends on the wrench that led here
        speeds = belief.kalman.state.speed_scale.shape[0]  # without that part, rotor speeds are for the schedule alone
        told = eqx.tree_at(lambda reading: reading.rpm, measurement, measurement.rpm[:speeds])
        support = model.support(belief.kalman.state)
        kalman, shadows = update_belief(
            model, self._noise_of_throttles(), belief.kalman, told, belief.shadows, _GATE, support
        )
        watch = belief.watch
        if self.schedule == "speed":
            watch = self._by_speed(watch, measurement)
        elif self.schedule == "evidence":
            kalman, shadows, watch = self._by_evidence(kalman, shadows, watch)
        return ScheduledBelief(kalman, shadows, watch, belief.pose, belief.wrench)

    def _noise_of_throttles(self) -> Noise:
        """The noise without that of the soles, which reaches the momentum by another way."""
        n, noise = self.robot.engines.maximum.shape[0], self.noise
        return Noise(noise.measurement, noise.control[:n], noise.drift, noise.blind[:n])

    def _soles(self, belief: ScheduledBelief, pose: RobotPose, wrench: Float[Array, " feet"], dt: Seconds):
        """The wrenches, silent ones taken for none; and what their noise adds to the momentum's variance, per second.

        What a sole carries between two rows is known the less, the more it has changed since the last step. As an input
        by which a filter differentiates wrenches would cost a quarter of a step.
        """
        n = self.robot.engines.maximum.shape[0]
        heard = jnp.isfinite(wrench)
        told = jnp.where(heard, wrench, 0.0)
        if belief.kalman.state.wrench.size:  # readings, then, and no inputs
            return told, jnp.zeros(6)
        changed = self.roughness * jnp.where(heard & jnp.isfinite(belief.wrench), wrench - belief.wrench, 0.0)
        sizes = jnp.where(heard, jnp.sqrt(self.noise.control[n:] ** 2 + changed**2), self.noise.blind[n:])
        acting = pose.foot_matrix * pose.contact[None, :]
        return told, dt * product(acting**2, sizes**2)

    def _highest(self) -> Float[Array, "state engine"]:
        """Unit vectors of the highest state of every engine: a jet's rate of thrust, a propeller's thrust."""
        engines = self.robot.engines
        n = engines.maximum.shape[0]
        rows = [n + engines.jets.index(e) if e in engines.jets else e for e in range(n)]
        return jnp.eye(self.noise.drift.shape[0])[:, jnp.array(rows)]

    def _twins(self, belief: ScheduledBelief, throttle, dt) -> EngineWatch:
        """Healthy engines follow the belief, as long as theirs is healthy; by their equations alone after that.

        For the rotor-speed schedule they never look at the belief: a desired speed knows of throttles only.
        """
        watch, state = belief.watch, belief.kalman.state
        engines = self.robot.engines
        alone = jnp.ones_like(watch.failed) if self.schedule == "speed" else watch.failed
        thrust = jnp.where(alone > 0, watch.twin, state.thrust)
        rate = jnp.where(alone[jnp.array(engines.jets, int)] > 0, watch.twin_rate, state.thrust_rate)
        at = eqx.tree_at(lambda s: (s.thrust, s.thrust_rate), state, (thrust, rate))
        if state.offset.size:  # what was learnt while it failed is not of a healthy engine
            at = eqx.tree_at(lambda s: s.offset, at, state.offset * (1.0 - alone))
        twin, twin_rate = engines.step(at, throttle, jnp.ones_like(thrust), dt)
        n = thrust.shape[0]
        allowed = self.agreement * engines.maximum + jnp.sqrt(jnp.diag(belief.covariance)[:n])
        gained = jnp.where(jnp.abs(state.thrust - twin) < allowed, dt, -2.0 * dt)
        agreed = jnp.where(watch.failed > 0, jnp.maximum(watch.agreed + gained, 0.0), 0.0)
        return EngineWatch(watch.failed, watch.evidence, twin, twin_rate, agreed)

    def _by_speed(self, watch: EngineWatch, reading: FlyingReading) -> EngineWatch:
        """An engine is believed while its rotor is where a healthy one's would be."""
        engines = self.robot.engines
        expected = 1e-3 * rotor_speed(engines.speed_map, watch.twin[jnp.array(engines.with_speed)])
        off = jnp.abs(reading.rpm - expected) > self.rpm_threshold
        failed = watch.failed.at[jnp.array(engines.with_speed)].set(jnp.where(off, 1.0, 0.0))
        return eqx.tree_at(lambda w: w.failed, watch, failed)

    def _by_evidence(self, kalman: KalmanBelief, shadows: Shadows, watch: EngineWatch):
        """The one engine that explains the innovations best, if that convinces."""
        prior = self.push**-2
        posterior = shadows.information + prior
        evidence = 0.5 * shadows.score**2 / posterior - 0.5 * jnp.log(posterior / prior)
        evidence = jnp.where(watch.failed > 0, 0.0, evidence)
        best = jnp.argmax(evidence)
        index = jnp.arange(evidence.shape[0])
        others = jnp.max(jnp.where(index == best, -jnp.inf, evidence))
        convinced = (evidence[best] > self.threshold) & (evidence[best] > others + self.margin)
        new = jnp.where((index == best) & convinced, 1.0, 0.0)
        # It is taken in as it would be if the push had been known: its likeliest size, with what that leaves open.
        size = jnp.where(new > 0, shadows.score / posterior, 0.0)
        moved = product(shadows.columns, size)
        doubt = new * (1.0 / posterior + 0.25 * size**2)
        spread = product(shadows.columns * doubt[None, :], shadows.columns.T)
        state = retract(kalman.state, moved)
        if state.offset.size:  # what the failure has done to it is no news of the engine
            state = eqx.tree_at(lambda s: s.offset, state, jnp.where(new > 0, 0.0, state.offset))
        covariance = kalman.covariance + 0.5 * (spread + spread.T)
        after = eqx.tree_at(lambda k: (k.state, k.covariance), kalman, (state, covariance))
        back = (watch.failed > 0) & (watch.agreed >= self.patience)
        failed = jnp.where(back, 0.0, jnp.maximum(watch.failed, new))
        quiet = jnp.any(new > 0)  # what was explained is not evidence against another engine
        shadows = jax.tree.map(lambda leaf: jnp.where(quiet, 0.0, leaf), shadows)
        watch = EngineWatch(failed, evidence, watch.twin, watch.twin_rate, jnp.where(back, 0.0, watch.agreed))
        return after, shadows, watch


def _offsets(state: FlyingState, failed: Float[Array, " engine"]) -> Float[Array, " state"]:
    """Ones at the offsets of the engines that failed, along the state's coordinates."""
    marks = jax.tree.map(jnp.zeros_like, state)
    if state.offset.size:
        marks = eqx.tree_at(lambda s: s.offset, marks, failed)
    return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(marks)])
