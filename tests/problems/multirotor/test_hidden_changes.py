"""Steps of the mass that look like wrong velocities, slow errors or slopes, and climbs that look like steps."""

import dataclasses

import numpy as np
import pytest
from earnest import in_earnest

from steelyard.bench.drone import disturbed_flight
from steelyard.config import Config
from steelyard.logs import Log
from steelyard.problems.multirotor import read_flight_record
from steelyard.problems.multirotor._changes import refit
from steelyard.problems.multirotor._evidence import evidence
from steelyard.problems.multirotor._motion import motion_of
from steelyard.problems.multirotor._outliers import perhaps_changes, without_outliers
from steelyard.problems.multirotor._piecewise import Fit, blocks_and_first_mass, fit_all
from steelyard.problems.multirotor._placing import allowed
from steelyard.problems.multirotor._smoothed import first_error, unknowns_of
from steelyard.worlds.multirotor import Disturbances, fly_disturbed

WINDY = Disturbances(speed=0.3, wind=3.2, motor_noise=0.005, velocity_noise=0.003)
WHEN = 15.0


def columns() -> dict[str, np.ndarray]:
    """30 s in gusts, a constant mass."""
    return dict(in_earnest(fly_disturbed, WINDY, 30.0, 3))


def first_fit(columns: dict[str, np.ndarray]) -> Fit:
    """Of a constant mass, before any outlier or change is known."""
    names = {name: value for name, value in columns.items() if not name.startswith(("truth", "r1/rpm"))}
    log, config = Log(names.pop("time"), names, "flight"), Config()
    motion = motion_of(read_flight_record(log, "r1", config), config.gravity)
    blocks, first = blocks_and_first_mass(motion)
    return fit_all(motion, blocks, unknowns_of(motion, config), first_error(), first)


@pytest.mark.parametrize("what", ["a step", "a wrong velocity", "a blow"])
def test_an_outlier_is_spared_if_and_only_if_a_step_of_the_mass_explains_it(what: str):
    """A step of 20 % (the thrust over the mass is what a flight shows); 0.4 m/s for a block, and from there on."""
    flown = columns()
    late = flown["time"] - WHEN
    if what == "a step":
        flown["r1/thrust"] = flown["r1/thrust"] * np.where(late >= 0.0, 1.2, 1.0)
    else:
        until = 0.05 if what == "a wrong velocity" else np.inf
        flown["r1/linear_velocity/z"] = flown["r1/linear_velocity/z"] + 0.4 * ((late >= 0.0) & (late < until))
    found = first_fit(flown)
    nowhere = np.zeros(len(found.blocks), bool)
    spared = perhaps_changes(found)
    near = np.abs(found.blocks.time - WHEN) < 0.15
    all_out = without_outliers(found, nowhere)[0].heard == 0
    assert np.any(all_out & near)
    assert np.any(spared & near) == (what == "a step")
    assert not np.any(spared & ~all_out)


@pytest.fixture(scope="module")
def stepped() -> Fit:
    flown = columns()
    flown["r1/thrust"] = flown["r1/thrust"] * np.where(flown["time"] >= WHEN, 1.2, 1.0)
    return first_fit(flown)


def with_pieces(found: Fit, *pieces: tuple[str, float]) -> float:
    return evidence(refit(found, (found.unknowns.pieces[0], *pieces)))


def test_a_step_is_likelier_than_the_slopes_that_enclose_it_and_than_nothing(stepped: Fit):
    step = with_pieces(stepped, ("step", WHEN))
    # 5: odds of 150 to 1.
    assert step > with_pieces(stepped, ("slope", WHEN - 2.0), ("slope", WHEN + 2.0)) + 5.0
    assert step > with_pieces(stepped, ("slope", WHEN - 5.0)) + 5.0
    assert step > with_pieces(stepped) + 5.0


def test_which_explanation_is_likelier_does_not_depend_on_the_unit_of_mass(stepped: Fit):
    """In grams (thrust in mN) a step and a slope differ by as much: their widths before the flight are shares."""
    motion = dataclasses.replace(stepped.motion, thrust=1e3 * stepped.motion.thrust, _columns={})
    forces = tuple(name for name in stepped.unknowns.forces if not name.startswith("drag"))
    unknowns = dataclasses.replace(stepped.unknowns, forces=forces)
    gains = []
    for kilogram, one in ((1.0, dataclasses.replace(stepped.motion, _columns={})), (1e3, motion)):
        mass = kilogram * stepped.linearised
        bare = fit_all(one, stepped.blocks, unknowns, stepped.error, mass, near=True)
        gains.append(with_pieces(bare, ("step", WHEN)) - with_pieces(bare, ("slope", WHEN - 2.0)))
    assert gains[0] == pytest.approx(gains[1], abs=0.2)


@pytest.mark.parametrize(
    ("every", "seed"),
    [
        pytest.param(3, 15162, id="an outlier, which two slopes enclosed"),
        pytest.param(1, 40063, id="a gust of some seconds that is larger"),
        pytest.param(1, 40104, id="a step in the wrong place"),
        pytest.param(3, 22047, id="two places that are nearly as likely"),
        pytest.param(3, 15138, id="a landing"),
    ],
)
def test_a_change_of_a_tenth_in_wind_is_found_and_nothing_else(every: int, seed: int):
    flight = in_earnest(disturbed_flight, 60.0, every, seed)
    assert flight["delay"] is not None
    assert flight["false_changes"] == 0
    assert abs(flight["value"] - flight["true"]) < 3.0 * flight["std"]


def test_no_step_begins_in_a_climb_or_a_descent(stepped: Fit):
    """80 % of the height after 1.9 s, and as long before the end; the ground is felt for 0.7 s more."""
    time = stepped.motion.time
    height = np.minimum(np.clip(np.minimum(time, time[-1] - time) / 3.0, 0.0, 1.0) * 1.25, 1.0)
    motion = dataclasses.replace(stepped.motion, height=height, _columns={})
    begin = np.arange(0.5, 29.5, 0.1)
    free = begin[allowed(dataclasses.replace(stepped, motion=motion), "step", begin)]
    climbed = time[np.argmax(height >= 0.8)]
    assert free[0] == pytest.approx(max(climbed + 0.7, 2.0), abs=0.15)
    assert free[-1] == pytest.approx(time[-1] - max(climbed + 0.7, 2.0), abs=0.15)
