"""A robot of one's own gets every method, the events, the verdict and the report from one model."""

import dataclasses
import importlib.util
import subprocess
import sys
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from steelyard.errors import BadInput
from steelyard.logs import Log, write
from steelyard.models import ContinuousModel
from steelyard.problems import Quantity, identify, identify_own
from steelyard.problems.own._step_length import step_warning
from steelyard.report import write_report

EXAMPLE = Path(__file__).parents[3] / "examples" / "01_your_own_robot.py"
spec = importlib.util.spec_from_file_location("cart_example", EXAMPLE)
assert spec is not None
assert spec.loader is not None
cart = importlib.util.module_from_spec(spec)
sys.modules["cart_example"] = cart
spec.loader.exec_module(cart)
METHODS = ("adaptive", "ekf", "ukf", "msckf", "swls")


@pytest.fixture(scope="module")
def steady() -> Log:
    return cart.push(np.full(400, 2.0), seed=4)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_finds_mass_and_friction_within_its_interval(steady, method):
    answers = identify_own(steady, cart.ROBOT, method).robots["cart"]
    for name, truth in (("mass", 2.0), ("friction", 0.8)):
        assert answers[name].status == "known"
        assert abs(answers[name].value - truth) < 4 * answers[name].std
        assert answers[name].std < 0.02 * truth  # 400 rows tell either to 2 %: an interval that says nothing is none


def test_a_box_that_is_put_on_is_an_event_of_the_right_time_and_size(tmp_path):
    log = cart.push(np.where(np.arange(600) < 300, 2.0, 2.6), seed=5)
    found = identify_own(log, cart.ROBOT)
    (event,) = found.events
    assert event.time == pytest.approx(6.0, abs=0.3)
    assert event.size == pytest.approx(0.6, abs=0.1)
    assert found.truth["mass"].value[-1] == 2.6
    write_report(found, tmp_path / "cart.html")
    assert "friction" in (tmp_path / "cart.html").read_text()


def test_the_command_line_takes_the_file(steady, tmp_path):
    write(steady, tmp_path / "cart.csv")
    command = [sys.executable, "-m", "steelyard", "identify", "cart.csv", "--as", str(EXAMPLE), "--method", "ekf"]
    done = subprocess.run([*command, "--json"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert '"friction"' in done.stdout


def robot(**changes):
    return dataclasses.replace(cart.ROBOT, **changes)


def test_a_parameter_that_never_shows_is_not_identifiable_from_this_log(steady):
    """Its coordinate enters no dynamics and no measurement: a sentence, not a number."""

    class Idle(cart.Cart):
        def dynamics(self, state, force, dt):
            after = super().dynamics(dataclasses.replace(state, log_friction=jnp.log(0.8)), force, dt)
            return dataclasses.replace(after, log_friction=state.log_friction)

    with pytest.raises(BadInput, match="friction is not identifiable from this log"):
        identify_own(steady, robot(model=Idle()))


BAD = {
    "a window of zero": ({"window": 0}, "window is 0"),
    "a flight shorter than the window": ({"window": 1000}, "fewer than the 1000"),
    "a coordinate that does not exist": (
        {"quantities": {"mass": Quantity(lambda s: s.log_mass, "kg", "log_mas")}},
        'did you mean "log_mass"',
    ),
}


@pytest.mark.parametrize("changes", BAD.values(), ids=BAD)
def test_bad_robots_are_told_in_a_sentence(steady, changes):
    fields, words = changes
    with pytest.raises(BadInput, match=words):
        identify_own(steady, robot(**fields))


FILES = {
    "no such file": (None, "does not exist"),
    "no robot": ("x = 1\n", "defines no ROBOT"),
    "a program that fails": ("raise RuntimeError('oh')\n", "RuntimeError: oh"),
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_bad_files_are_told_in_a_sentence(steady, tmp_path, content):
    text, words = content
    path = tmp_path / "robot.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(BadInput, match=words):
        identify(steady, str(path))


class ContinuousCart(ContinuousModel):
    """The same cart by its derivative."""

    def derivative(self, state, force):
        pull = force - jnp.exp(state.log_friction) * state.speed
        return cart.CartState(state.speed, pull * jnp.exp(-state.log_mass), jnp.zeros(()), jnp.zeros(()))

    def observe(self, state, force):
        return jnp.stack([state.position, state.speed])

    def idle(self, state):
        return jnp.zeros(())


def test_a_derivative_is_integrated_to_fourth_order():
    """Halving the step of an exponential decay leaves a sixteenth of the error."""
    start = cart.CartState(*(jnp.asarray(x) for x in (0.0, 1.0, 0.0, 0.0)))

    def error(steps: int) -> float:
        state = start
        for _ in range(steps):
            state = ContinuousCart().dynamics(state, jnp.zeros(()), 1.0 / steps)
        return abs(float(state.speed) - np.exp(-1.0))

    assert error(4) / error(8) == pytest.approx(16.0, rel=0.2)


def test_a_map_whose_steps_matter_is_warned_about_and_a_derivative_is_not(steady):
    exact = dataclasses.replace(cart.ROBOT, noise=dataclasses.replace(cart.ROBOT.noise, measurement=np.full(2, 1e-4)))
    samples = cart.ROBOT.samples(steady)
    assert step_warning(cart.ROBOT, samples) is None  # 20 ms steps, noise of 1 cm: within the noise
    assert "half the step" in (step_warning(exact, samples) or "")
    assert step_warning(dataclasses.replace(exact, model=ContinuousCart()), samples) is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("return jnp.stack([state.position, state.speed])", "return state.nothing", r"line \d+.*nothing"),
        ('force = log.columns["r1/force/x"]', 'force = log.columns["r1/push"]', r"line \d+.*r1/push"),
        ("class CartState(eqx.Module):", "class CartState(eqx.Modul):", r"line \d+.*Modul"),
    ],
)
def test_a_fault_in_a_users_file_is_named_by_its_line(steady, tmp_path, old, new, said):
    text = EXAMPLE.read_text()
    assert old in text
    (tmp_path / "mine.py").write_text(text.replace(old, new, 1))
    with pytest.raises(BadInput, match=said):
        identify(steady, str(tmp_path / "mine.py"))
