"""A multirotor obeys Newton, agrees with referees, and keeps the one secret that no flight can tell."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from steelyard.geometry import SO3, retract
from steelyard.models import Multirotor, MultirotorControl, MultirotorState

G = 9.81
RATES = np.array([1.5, -1.0, 2.0])


def state(mass: float = 1.3, velocity=(1.0, -2.0, 0.5), tilt=(0.2, -0.1, 0.3), drag=(), loss=()) -> MultirotorState:
    return MultirotorState(
        SO3.exp(jnp.array(tilt)),
        jnp.array([0.0, 0.0, 1.0]),
        jnp.array(velocity),
        jnp.log(jnp.asarray(mass, float)),
        jnp.array(drag, float),
        jnp.array(loss, float),
    )


def control(thrust: float, rates=(0.0, 0.0, 0.0)) -> MultirotorControl:
    return MultirotorControl(jnp.asarray(thrust, float), jnp.array(rates, float))


@jax.jit(static_argnums=4)
def flown(model: Multirotor, start: MultirotorState, u: MultirotorControl, duration, steps: int) -> MultirotorState:
    return jax.lax.fori_loop(0, steps, lambda _, x: model.dynamics(x, u, duration / steps), start)


def test_hover_is_an_equilibrium():
    level = state(velocity=(0.0, 0.0, 0.0), tilt=(0.0, 0.0, 0.7))
    model = Multirotor(drag=(0.3, 0.08))
    later = flown(model, level, model.idle(level), 2.0, 50)
    for a, b in zip(jax.tree.leaves(later), jax.tree.leaves(level), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_without_thrust_it_falls_freely_and_keeps_its_energy():
    start, t = state(), 1.7
    later = flown(Multirotor(), start, control(0.0, RATES), t, 17)
    expected = start.position + start.velocity * t + np.array([0, 0, -0.5 * G * t**2])
    np.testing.assert_allclose(later.position, expected, rtol=1e-12)
    energy = [0.5 * x.velocity @ x.velocity + G * x.position[2] for x in (start, later)]
    np.testing.assert_allclose(*energy, rtol=1e-12)


def test_thrust_gives_its_impulse_along_body_z():
    start = state()
    later = flown(Multirotor(), start, control(14.0), 0.5, 5)
    impulse = 1.3 * (later.velocity - start.velocity + jnp.array([0.0, 0.0, 0.5 * G]))
    np.testing.assert_allclose(impulse, 7.0 * start.attitude.as_matrix()[:, 2], rtol=1e-12)


def test_drag_only_ever_takes_energy():
    model = Multirotor(drag=(0.3, 0.08), gravity=(0.0, 0.0, 0.0))
    rng = np.random.default_rng(0)

    def powers(v, tilt):
        return v @ model.acceleration(SO3.exp(tilt), v, jnp.zeros(()), jnp.zeros(()), jnp.zeros(0))

    found = jax.jit(jax.vmap(powers))(*jnp.asarray(rng.standard_normal((2, 100, 3))))
    assert np.all(np.asarray(found) < 0)


def referee(start: MultirotorState, thrust: float, rates, drag, loss: float, duration: float) -> np.ndarray:
    """Position and velocity by a fine integration of the equations as the paper has them; attitude in closed form."""
    R_0, m_0 = np.asarray(start.attitude.as_matrix()), float(np.exp(start.log_mass))

    def slope(t, x):
        R = R_0 @ Rotation.from_rotvec(np.asarray(rates) * t).as_matrix()
        v_body = R.T @ x[3:]
        force = np.array([0, 0, thrust]) - drag[0] * v_body * [1, 1, 0] - drag[1] * v_body * np.abs(v_body)
        return np.concatenate([x[3:], R @ force / (m_0 - loss * t) - [0, 0, G]])

    x_0 = np.concatenate([start.position, start.velocity])
    return solve_ivp(slope, (0, duration), x_0, rtol=1e-11, atol=1e-12).y[:, -1]


@pytest.mark.parametrize(("drag", "loss"), [((0.0, 0.0), 0.0), ((0.3, 0.08), 0.0), ((0.3, 0.08), 0.05)])
def test_it_integrates_its_equations_to_second_order(drag, loss):
    start = state(drag=drag, loss=[loss])
    exact = referee(start, 14.0, RATES, drag, loss, 1.0)
    errors = []
    for steps in (50, 100, 200):
        later = flown(Multirotor(), start, control(14.0, RATES), 1.0, steps)
        errors.append(np.abs(np.concatenate([later.position, later.velocity]) - exact).max())
    assert errors[1] < 1e-3  # at 100 Hz, after a second of turning at 2.7 rad/s
    assert errors[0] / errors[1] > 3.5  # 4 in the limit of short steps
    assert errors[1] / errors[2] > 3.5  # likewise
    turned = Rotation.from_matrix(start.attitude.as_matrix()) * Rotation.from_rotvec(RATES)
    np.testing.assert_allclose(later.attitude.as_matrix(), turned.as_matrix(), atol=1e-12)
    np.testing.assert_allclose(np.exp(later.log_mass), np.exp(start.log_mass) - loss, rtol=1e-12)


def test_thrust_and_mass_and_drag_by_one_factor_are_one_motion():
    """The ambiguity that no flight can resolve."""
    given, scaled = state(mass=1.3, drag=(0.3, 0.08)), state(mass=1.3 * 1.7, drag=(0.3 * 1.7, 0.08 * 1.7))
    one = flown(Multirotor(), given, control(14.0, RATES), 1.0, 50)
    other = flown(Multirotor(), scaled, control(14.0 * 1.7, RATES), 1.0, 50)
    np.testing.assert_allclose(one.position, other.position, rtol=1e-10)
    np.testing.assert_allclose(one.velocity, other.velocity, rtol=1e-10)
    lighter = flown(Multirotor(), given, control(14.0 * 1.01, RATES), 1.0, 50)
    assert np.abs(lighter.velocity - one.velocity).max() > 0.01  # thrust alone does show


def test_drag_may_be_given_or_carried():
    given = flown(Multirotor(drag=(0.3, 0.08)), state(), control(14.0, RATES), 1.0, 50)
    carried = flown(Multirotor(), state(drag=(0.3, 0.08)), control(14.0, RATES), 1.0, 50)
    np.testing.assert_allclose(given.velocity, carried.velocity, rtol=1e-12)


def test_dynamics_is_smooth_at_rest():
    """Its derivative is finite where |v| has a corner and the rotation an angle of zero."""
    rest = state(velocity=(0.0, 0.0, 0.0), tilt=(0.0, 0.0, 0.0), drag=(0.3, 0.08), loss=[0.0])
    model = Multirotor()
    F = jax.jit(jax.jacfwd(lambda d: model.dynamics(retract(rest, d), model.idle(rest), 0.01).velocity))(jnp.zeros(13))
    assert np.isfinite(F).all()


MJCF = """
<mujoco><option timestep="0.001" integrator="RK4" gravity="0 0 -9.81"/>
<worldbody><body name="b" pos="0 0 1"><freejoint/>
  <inertial pos="0 0 0" mass="1.3" diaginertia="0.03 0.03 0.03"/><site name="rotors"/></body></worldbody>
<actuator><general site="rotors" gear="0 0 1 0 0 0"/></actuator></mujoco>
"""


def test_mujoco_agrees():
    """A free ball of 1.3 kg, pushed along its z for a second while it tumbles; ours at the same step of 1 ms."""
    mujoco = pytest.importorskip("mujoco")
    plant = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(plant)
    start = state()
    data.qpos[3:] = np.asarray(start.attitude.wxyz)
    data.qvel[:] = np.concatenate([start.velocity, RATES])
    data.ctrl[:] = 14.0
    for _ in range(1000):
        mujoco.mj_step(plant, data)
    ours = flown(Multirotor(), start, control(14.0, RATES), 1.0, 1000)
    np.testing.assert_allclose(ours.position, data.qpos[:3], atol=1e-5)
    np.testing.assert_allclose(ours.velocity, data.qvel[:3], atol=1e-5)
    np.testing.assert_allclose(np.abs(ours.attitude.wxyz @ data.qpos[3:]), 1.0, atol=1e-9)
