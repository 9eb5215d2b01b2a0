"""A flight read as a whole: generalised least squares under a coloured error, changes, and what is refused."""

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.config import Config, Guess, Multirotor
from steelyard.logs import Log
from steelyard.problems import identify
from steelyard.problems.multirotor import read_flight_record
from steelyard.problems.multirotor._coloured import Blocks, ErrorModel, whitened
from steelyard.worlds import MultirotorScenario, simulate

SEEDS = 3
ERROR = ErrorModel(0.02, 0.03, 0.4, 0.3, 0.02, 0.2, 0.5)


def weigh(log: Log, config: Config | None = None):
    return in_earnest(identify, log, "multirotor", config)


def flights(seeds: int = SEEDS, **scenario) -> list[Log]:
    logs = []
    for seed in range(seeds):
        columns = in_earnest(simulate, MultirotorScenario(**scenario), seed)
        one = {name: column for name, column in columns.items() if "throttle" not in name}
        logs.append(Log(one.pop("time"), one, f"flight {seed}"))
    return logs


@pytest.fixture(scope="module")
def constant() -> list[Log]:
    return flights(profile="constant")


def level_blocks(n: int = 40, dt: float = 0.05) -> Blocks:
    time = dt * np.arange(n)
    fresh = np.zeros(n, bool)
    fresh[0] = True
    return Blocks(time, np.diff(time, prepend=0.0), np.tile(np.eye(3), (n, 1, 1)), fresh, np.ones(n))


def test_whitening_is_the_dense_covariance():
    """Along a level thrust axis E is an integrated Ornstein-Uhlenbeck process: its covariance in closed form."""
    blocks = level_blocks()
    t = blocks.time
    rng = np.random.default_rng(1)
    columns = np.zeros((len(t), 3, 2))
    columns[:, 2] = rng.normal(size=(len(t), 2)).cumsum(axis=0)
    s, tau, q = ERROR.coloured_along, ERROR.time_along, ERROR.white_along
    a, b = np.meshgrid(t, t, indexing="ij")
    early = np.minimum(a, b)
    coloured = (
        s**2 * tau**2 * (2 * early / tau - 1 + np.exp(-a / tau) + np.exp(-b / tau) - np.exp(-np.abs(a - b) / tau))
    )
    dense = coloured + q**2 * early + ERROR.velocity**2 * np.eye(len(t)) + 100.0**2
    expected = columns[:, 2].T @ np.linalg.solve(dense, columns[:, 2])
    white = whitened(blocks, columns, ERROR)[:, 2]
    np.testing.assert_allclose(white.T @ white, expected, rtol=1e-6)


def test_a_constant_mass_is_near_its_bound_stated_so_and_has_no_event(constant):
    """Three flights of 25 s with no noise stated. The thrust noise alone bounds the relative deviation.

    It is 2.8 % a row of 10 ms at hover, 0.055 % over 2500 rows. RMS of three within 1.9 of it is a chance of 98 % at
    1.1; what is stated does not vary as much.
    """
    answers = [weigh(log) for log in constant]
    assert not [event for one in answers for event in one.events]
    found = [one["r1"].mass for one in answers]
    noise = 0.02 * 2 * np.sqrt(9.81 / 4 / 18.8) * 18.8 / 9.81
    bound = noise / np.sqrt(2500)
    errors = np.array([float(one.value) - 1.0 for one in found])
    stated = np.array([float(one.std) for one in found])
    assert np.sqrt(np.mean(errors**2)) < 1.9 * bound
    assert 0.9 < np.mean(stated) / bound < 1.3


def test_steps_are_found_where_they_are():
    """Four steps in 25 s; each within 0.1 s and four deviations, and noticed within half a second."""
    (log,) = flights(1, profile="steps")
    found = weigh(log)
    assert [round(event.time) for event in found.events] == [5, 10, 15, 20]
    for event, time, size in zip(found.events, (5, 10, 15, 20), (0.3, -0.4, 0.3, -0.45), strict=True):
        assert event.time == pytest.approx(time, abs=0.1)
        assert event.size == pytest.approx(size, abs=0.02)
        assert event.noticed - time < 0.5
    series = found.series["r1"]["mass"]
    truth = log.truth("mass")[:, 0]
    away = np.min(np.abs(log.time[:, None] - [5, 10, 15, 20]), axis=1) > 0.1
    assert np.abs(series.value / truth - 1)[away].max() < 0.02


def test_steps_are_not_taken_for_thrust_that_changes_with_the_speed():
    """The simulated rotors lose no thrust with speed: once the steps are known, none is left to estimate."""
    for log in flights(2, profile="steps", duration=20.0):
        answers = weigh(log)["r1"]
        assert not [name for name in answers if name.startswith("thrust_loss")]


def test_a_ramp_is_a_ramp():
    (log,) = flights(1, profile="ramp")
    found = weigh(log)
    assert [event.quantity for event in found.events] == ["mass/rate", "mass/rate"]
    assert found.events[0].time == pytest.approx(5.0, abs=0.7)
    assert found.events[1].time == pytest.approx(20.0, abs=0.7)
    series = found.series["r1"]["mass"]
    inside = np.abs(series.value - log.truth("mass")[:, 0]) < 3.0 * series.std
    assert inside.mean() > 0.99  # three deviations hold 99.7 %


def with_columns(log: Log, **changed: np.ndarray) -> Log:
    return Log(
        np.asarray(log.time), dict(log.columns) | {k.replace("__", "/"): v for k, v in changed.items()}, "changed"
    )


def test_a_velocity_that_was_smoothed_on_board_makes_no_answer_too_certain(constant):
    """A moving mean over 0.2 s leaves white noise of a tenth; errors stay within three stated deviations."""
    for log in constant[:1]:
        kernel = np.ones(20) / 20
        smooth = {
            f"r1/linear_velocity/{axis}": np.convolve(log.columns[f"r1/linear_velocity/{axis}"], kernel, "same")
            for axis in "xyz"
        }
        keep = slice(20, -20)
        columns = {name: value[keep] for name, value in (dict(log.columns) | smooth).items()}
        found = weigh(Log(np.asarray(log.time)[keep], columns, "smoothed"))
        mass = found["r1"].mass
        assert mass.status == "known"
        assert abs(float(mass.value) - 1.0) < 3 * float(mass.std)
        assert not found.events


def test_what_stands_on_the_ground_is_not_weighed(constant):
    log = constant[0]
    rng = np.random.default_rng(3)
    thrust = 5.0 + 3.0 * np.sin(np.asarray(log.time)) + rng.normal(size=len(log))
    still = {f"r1/linear_velocity/{axis}": 0.001 * rng.normal(size=len(log)) for axis in "xyz"}
    found = weigh(with_columns(log, **still, **{"r1/thrust": thrust}))
    assert found["r1"].mass.value is None
    assert "ground" in found.verdict


def test_rotor_speeds_without_a_coefficient_give_the_ratio(constant):
    log = constant[0]
    coefficient = 1.5e-7
    speed = np.sqrt(log.columns["r1/thrust"] / 4 / coefficient)
    columns = {name: value for name, value in log.columns.items() if name != "r1/thrust"}
    columns |= {f"r1/rpm/{k}": speed for k in range(1, 5)}
    flown = Log(np.asarray(log.time), columns, "rpm")
    ratio = weigh(flown)["r1"]
    assert ratio.mass.status == "not-identifiable"
    known = weigh(flown, Config(multirotor=Multirotor(thrust_coefficient=coefficient)))["r1"].mass
    assert float(ratio["mass_over_thrust_coefficient"].value) * coefficient == pytest.approx(float(known.value), 1e-5)
    half = Log(np.asarray(log.time), columns | {"r1/rpm/2": 0.5 * speed}, "half")
    (reason,) = read_flight_record(half, "r1", Config()).reasons
    assert "Rotor 2" in reason.sentence


def test_a_claim_that_the_thrust_contradicts_is_named(constant):
    found = weigh(constant[0], Config(guess=Guess(mass=0.66)))
    assert "0.66 kg is contradicted" in found.verdict


def test_two_flights_joined_by_rotor_speeds(constant):
    """Velocity and position go on elsewhere; the change of the mass, and nothing else, is told within half a second."""
    coefficient, cut = 1.5e-8, 1250
    (heavy,) = flights(1, profile="constant", mass=1.17)
    config = Config(multirotor=Multirotor(thrust_coefficient=coefficient))
    for light, later in zip(constant, (300, 450, 600), strict=True):
        rows = {
            name: np.concatenate([column[:cut], heavy.columns[name][later:]]) for name, column in light.columns.items()
        }
        thrust = rows.pop("r1/thrust")
        rows |= {f"r1/rpm/{k}": np.sqrt(thrust / (4 * coefficient)) for k in range(1, 5)}
        found = weigh(Log(0.01 * np.arange(len(thrust)), rows, "joined"), config)
        (event,) = found.events
        assert event.size == pytest.approx(0.17, abs=0.01)
        assert event.noticed is not None
        assert 12.4 < event.time <= event.noticed < 13.0
