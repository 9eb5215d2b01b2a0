"""The thrust filter of a flying robot. It detects engines that fail and then stops using their models."""

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
from steelyard.problems.jets._tuning import TUNING, FaultDetection


class EngineHealth(eqx.Module):
    """Whether each engine follows its model."""

    failed: Float[Array, " engine"]
    """1 while it has failed, else 0."""
    evidence: Float[Array, " engine"]
    """Log-likelihood ratio of the recent innovations: this engine has left its model, against none has."""
    healthy_thrust: Float[Array, " engine"]
    """Thrust of a healthy engine under the same throttle, N."""
    healthy_thrust_rate: Float[Array, " jet"]
    """Its rate, N/s."""
    agreed: Float[Array, " engine"]
    """Time, s, for which a failed engine has agreed with `healthy_thrust`; disagreement subtracts twice its length."""


class ThrustBelief(Headed):
    """A Gaussian belief, and the health of the engines."""

    kalman: KalmanBelief
    shadows: Shadows
    """A column an engine: the sensitivity of the state to a steady disturbance of that engine's model."""
    health: EngineHealth
    pose: RobotPose
    wrench: Float[Array, " feet"]
    """Of the soles over the last step, (torque, force) each, N m and N."""
    unmodelled: Shadows
    """A column for each thing that the model lacks, from the first row on."""

    @property
    def head(self) -> KalmanBelief:
        """The belief at the current time."""
        return self.kalman


class ThrustFilter(Estimator):
    """An extended Kalman filter of thrusts and momentum that tolerates engine failures [ironcub, Sec. V-E].

    With the detection `speed`, an engine whose rotor speed is further than `rpm_threshold` from a healthy one's has its
    process noise raised, as in the paper. With `evidence`, no rotor speed is needed: for every engine a column has the
    sensitivity of the innovations to a steady disturbance of its model, and the likelihood ratio names the engine that
    failed. The filter then stops using that engine's equation until its thrust agrees with a healthy engine's again.
    """

    robot: FlyingRobot
    noise: Noise
    detection: FaultDetection = eqx.field(static=True, default="evidence")
    threshold: float = 4.5
    """Log-likelihood ratio from which on an engine has failed."""
    margin: float = 3.0
    """By which its log-likelihood ratio must exceed that of every other engine."""
    memory: float = 0.4
    """Time constant with which evidence is forgotten, s."""
    roughness: float = 0.5
    """Noise of a sole's wrench between two rows, as a share of its change: when a robot strikes the ground, rows miss
    the peak. Roads not taken: no detection for a while after a jump of the momentum, which a dying engine causes too;
    or after a sole lands, which leaves wrong thrusts with small standard deviations."""
    failure_std: float = 60.0
    """Prior standard deviation of a failure's effect on an engine's highest derivative, N/s² (jet) or N/s."""
    failed_drift: float = 150.0
    """Random walk of the highest state of a failed engine, N/s per √s (jet) or N per √s."""
    offset_drift: float = 20.0
    """Random walk of a failed engine's offset from its model, N/s² per √s: it is estimated anew afterwards."""
    rpm_threshold: float = 8.0
    """Thousands of rpm."""
    agreement: float = 0.07
    """Share of its maximum within which a failed engine agrees with a healthy one."""
    agreement_time: float = 1.0
    """Time for which it must agree before its model is used again, s."""

    def init(self, guess: Guess, unmodelled: int = 0) -> ThrustBelief:
        """All engines are healthy; so many things that the model lacks are looked for."""
        pose = self.robot.idle(guess.state).pose
        kalman = ExtendedKalman(self.robot.at(pose, pose.contact), self.noise).init(guess)
        n = kalman.state.thrust.shape[0]
        health = EngineHealth(jnp.zeros(n), jnp.zeros(n), kalman.state.thrust, kalman.state.thrust_rate, jnp.zeros(n))
        shadows = Shadows.none(kalman.covariance.shape[0], n)
        lacking = Shadows.none(kalman.covariance.shape[0], unmodelled)
        return ThrustBelief(kalman, shadows, health, pose, jnp.full(pose.contact.shape, jnp.nan), lacking)

    def predict(self, belief: ThrustBelief, control: FlyingControl, dt: Seconds) -> ThrustBelief:
        """The filter's prediction; failed engines follow a random walk."""
        failed, pose, state = belief.health.failed, control.pose, belief.kalman.state
        moving = state.thrust.shape[0] + state.thrust_rate.shape[0] + 6
        if self.detection == "evidence":
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
        pushed = keep * _carried(transition.F, belief.shadows.columns, moving) + passed * self._highest()
        shadows = Shadows(
            pushed * (1.0 - failed)[None, :], keep * belief.shadows.score, keep * belief.shadows.information
        )
        shadows = followed(kalman, shadows, belief.shadows)
        health = self._healthy(belief, transition.control.throttle, passed)
        unmodelled = belief.unmodelled
        if control.unmodelled is not None:
            columns = _carried(transition.F, unmodelled.columns, moving)
            columns = columns.at[before:moving].add(passed * control.unmodelled)
            unmodelled = followed(kalman, eqx.tree_at(lambda s: s.columns, unmodelled, columns), unmodelled)
        return ThrustBelief(kalman, shadows, health, pose, control.input.wrench, unmodelled)

    def update(self, belief: ThrustBelief, measurement: FlyingReading) -> ThrustBelief:
        """The filter's update, and the detection of failures."""
        model = self.robot.at(belief.pose, belief.pose.contact)  # no reading depends on the wrench that led here
        speeds = belief.kalman.state.speed_scale.shape[0]  # without that part, rotor speeds serve the detection only
        reading = eqx.tree_at(lambda reading: reading.rpm, measurement, measurement.rpm[:speeds])
        support = model.support(belief.kalman.state)
        n, both = self.robot.engines.maximum.shape[0], _side_by_side(belief.shadows, belief.unmodelled)
        kalman, both = update_belief(
            model, self._noise_of_throttles(), belief.kalman, reading, both, TUNING.outlier_gate, support
        )
        shadows, unmodelled = _some(both, slice(n)), _some(both, slice(n, None))
        health = belief.health
        if self.detection == "speed":
            health = self._by_speed(health, measurement)
        elif self.detection == "evidence":
            kalman, shadows, health = self._by_evidence(kalman, shadows, health)
        return ThrustBelief(kalman, shadows, health, belief.pose, belief.wrench, unmodelled)

    def _noise_of_throttles(self) -> Noise:
        """The noise of the throttles only; that of the soles is added to the momentum's process noise."""
        n, noise = self.robot.engines.maximum.shape[0], self.noise
        return Noise(noise.measurement, noise.control[:n], noise.drift, noise.blind[:n])

    def _soles(self, belief: ThrustBelief, pose: RobotPose, wrench: Float[Array, " feet"], dt: Seconds):
        """The wrenches, missing ones as zero, and what their noise adds to the momentum's variance, per second.

        A sole's wrench between two rows is the more uncertain, the more it has changed since the last step. Road not
        taken: wrenches as inputs that the filter differentiates by, which would cost a quarter of a step.
        """
        n = self.robot.engines.maximum.shape[0]
        present = jnp.isfinite(wrench)
        filled = jnp.where(present, wrench, 0.0)
        if belief.kalman.state.wrench.size:  # the wrenches are readings then, not inputs
            return filled, jnp.zeros(6)
        changed = self.roughness * jnp.where(present & jnp.isfinite(belief.wrench), wrench - belief.wrench, 0.0)
        sizes = jnp.where(present, jnp.sqrt(self.noise.control[n:] ** 2 + changed**2), self.noise.blind[n:])
        acting = pose.foot_matrix * pose.contact[None, :]
        return filled, dt * product(acting**2, sizes**2)

    def _highest(self) -> Float[Array, "state engine"]:
        """Unit vectors of the highest state of every engine: a jet's rate of thrust, a propeller's thrust."""
        engines = self.robot.engines
        n = engines.maximum.shape[0]
        rows = [n + engines.jets.index(e) if e in engines.jets else e for e in range(n)]
        return jnp.eye(self.noise.drift.shape[0])[:, jnp.array(rows)]

    def _healthy(self, belief: ThrustBelief, throttle, dt) -> EngineHealth:
        """The thrust of healthy engines: the belief of an engine that has not failed, else its equation alone.

        With the detection `speed` it never uses the belief: a desired speed depends on the throttle only.
        """
        health, state = belief.health, belief.kalman.state
        engines = self.robot.engines
        alone = jnp.ones_like(health.failed) if self.detection == "speed" else health.failed
        thrust = jnp.where(alone > 0, health.healthy_thrust, state.thrust)
        rate = jnp.where(alone[jnp.array(engines.jets, int)] > 0, health.healthy_thrust_rate, state.thrust_rate)
        at = eqx.tree_at(lambda s: (s.thrust, s.thrust_rate), state, (thrust, rate))
        if state.offset.size:  # an offset estimated while it failed is no healthy engine's
            at = eqx.tree_at(lambda s: s.offset, at, state.offset * (1.0 - alone))
        healthy_thrust, healthy_thrust_rate = engines.step(at, throttle, jnp.ones_like(thrust), dt)
        n = thrust.shape[0]
        allowed = self.agreement * engines.maximum + jnp.sqrt(jnp.diag(belief.covariance)[:n])
        gained = jnp.where(jnp.abs(state.thrust - healthy_thrust) < allowed, dt, -2.0 * dt)
        agreed = jnp.where(health.failed > 0, jnp.maximum(health.agreed + gained, 0.0), 0.0)
        return EngineHealth(health.failed, health.evidence, healthy_thrust, healthy_thrust_rate, agreed)

    def _by_speed(self, health: EngineHealth, reading: FlyingReading) -> EngineHealth:
        """An engine has failed while its rotor speed is far from a healthy one's."""
        engines = self.robot.engines
        expected = 1e-3 * rotor_speed(engines.speed_map, health.healthy_thrust[jnp.array(engines.with_speed)])
        off = jnp.abs(reading.rpm - expected) > self.rpm_threshold
        failed = health.failed.at[jnp.array(engines.with_speed)].set(jnp.where(off, 1.0, 0.0))
        return eqx.tree_at(lambda h: h.failed, health, failed)

    def _by_evidence(self, kalman: KalmanBelief, shadows: Shadows, health: EngineHealth):
        """The engine whose failure explains the innovations best failed, if its likelihood ratio is large enough."""
        prior = self.failure_std**-2
        posterior = shadows.information + prior
        evidence = 0.5 * shadows.score**2 / posterior - 0.5 * jnp.log(posterior / prior)
        evidence = jnp.where(health.failed > 0, 0.0, evidence)
        best = jnp.argmax(evidence)
        index = jnp.arange(evidence.shape[0])
        others = jnp.max(jnp.where(index == best, -jnp.inf, evidence))
        detected = (evidence[best] > self.threshold) & (evidence[best] > others + self.margin)
        new = jnp.where((index == best) & detected, 1.0, 0.0)
        # The state moves by the likeliest size of the disturbance; the covariance grows by that size's uncertainty.
        size = jnp.where(new > 0, shadows.score / posterior, 0.0)
        moved = product(shadows.columns, size)
        variance = new * (1.0 / posterior + 0.25 * size**2)
        spread = product(shadows.columns * variance[None, :], shadows.columns.T)
        state = retract(kalman.state, moved)
        if state.offset.size:  # the failure's effect is not the engine's own offset
            state = eqx.tree_at(lambda s: s.offset, state, jnp.where(new > 0, 0.0, state.offset))
        covariance = kalman.covariance + 0.5 * (spread + spread.T)
        after = eqx.tree_at(lambda k: (k.state, k.covariance), kalman, (state, covariance))
        back = (health.failed > 0) & (health.agreed >= self.agreement_time)
        failed = jnp.where(back, 0.0, jnp.maximum(health.failed, new))
        quiet = jnp.any(new > 0)  # explained innovations are no evidence against another engine
        shadows = jax.tree.map(lambda leaf: jnp.where(quiet, 0.0, leaf), shadows)
        health = EngineHealth(
            failed, evidence, health.healthy_thrust, health.healthy_thrust_rate, jnp.where(back, 0.0, health.agreed)
        )
        return after, shadows, health


def _offsets(state: FlyingState, failed: Float[Array, " engine"]) -> Float[Array, " state"]:
    """Ones at the offsets of the engines that failed, along the state's coordinates."""
    marks = jax.tree.map(jnp.zeros_like, state)
    if state.offset.size:
        marks = eqx.tree_at(lambda s: s.offset, marks, failed)
    return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(marks)])


def _carried(F: Float[Array, "state state"], columns: Float[Array, "state event"], moving: int) -> Array:
    """Columns over a step; coordinates after the first `moving` ones stay."""
    return jnp.concatenate([wide_product(F[:moving], columns), columns[moving:]])


def _side_by_side(one: Shadows, other: Shadows) -> Shadows:
    if not other.score.shape[0]:
        return one
    return jax.tree.map(lambda a, b: jnp.concatenate([a, b], axis=-1), one, other)


def _some(shadows: Shadows, events: slice) -> Shadows:
    return jax.tree.map(lambda leaf: leaf[..., events], shadows)
