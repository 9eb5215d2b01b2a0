"""Flights with engines, mass and feet a little wrong: ours, the paper's filter, and its halves [ironcub, Sec. IV]."""

import dataclasses

import numpy as np

from steelyard.papers.ironcub._trial import CENTROIDAL, ENGINES, OURS, PUBLISHED, SimulatedRun, rms, simulate_run
from steelyard.papers.ironcub._tuning import TRIAL
from steelyard.problems import ThrustTrack, ThrustTuning
from steelyard.worlds import TAKE_OFF, JetsScenario

_IN_THE_AIR = TAKE_OFF + 1.0

OURS_WITHOUT_ENGINES = ThrustTuning(
    ("log_mass", "foot_bias"), detection="none", rate_drift=0.0, thrust_drift=30.0, uses_engines=False, uses_speed=False
)
"""Momentum alone with our mass and bias states, which the paper's half does not have."""

GRIDS: dict[str, tuple[ThrustTuning, tuple[dict[str, float], ...]]] = {
    "ours": (OURS, tuple({"rate_drift": r, "offset_drift": o} for r in (3.0, 5.0) for o in (0.15, 0.5))),
    "published": (
        PUBLISHED,
        tuple({"rate_drift": r, "wrench_drift": w} for r in (0.3, 1.0, 3.0, 10.0) for w in (20.0, 100.0)),
    ),
    "centroidal": (
        CENTROIDAL,
        tuple({"thrust_drift": t, "wrench_drift": w} for t in (3.0, 10.0, 30.0) for w in (20.0, 100.0)),
    ),
    "ours without engines": (OURS_WITHOUT_ENGINES, tuple({"thrust_drift": t} for t in (1.0, 3.0, 10.0))),
}
"""What each method may be tuned to; the best on flights of its own counts."""


@dataclasses.dataclass(frozen=True)
class FlightScore:
    """What one method did on one flight."""

    rms: np.ndarray
    """Of each thrust over the whole flight, as a share of its maximum."""
    nees: float
    """In the air, a dimension."""
    alarms: int
    """Engines that were called failed; none did."""
    mass_error: float
    """At the end, relative; NaN where it is not estimated."""


@dataclasses.dataclass(frozen=True, eq=False)
class FlightTrial:
    """Every method on one flight."""

    scores: dict[str, FlightScore]
    shown: "tuple[SimulatedRun, dict[str, ThrustTrack]] | None"
    """The flight and the estimates of the methods, for the page; the first only."""


def flight_of(seed: int) -> JetsScenario:
    """Half of the robots are heavier than they think, half lighter."""
    return JetsScenario(
        mass_error=TRIAL.mass_error * (-1) ** seed, foot_bias=TRIAL.foot_bias, engine_error=TRIAL.engine_error
    )


def tuned(seed: int) -> dict[str, ThrustTuning]:
    """Every method at its best on one flight that does not count."""
    flown = simulate_run(flight_of(seed), seed)
    best = {}
    for name, (tuning, grid) in GRIDS.items():
        tried = [dataclasses.replace(tuning, **values) for values in grid]
        scores = [float(rms(flown.errors(flown.run(one, rotor_speed=False))).max()) for one in tried]
        best[name] = tried[int(np.argmin(scores))]
    return best


def flight_trial(seed: int, tunings: dict[str, ThrustTuning], show: bool) -> FlightTrial:
    """One flight."""
    flown = simulate_run(flight_of(seed), seed)
    tracks = {name: flown.run(tuning, rotor_speed=False) for name, tuning in tunings.items()}
    tracks["ours with rotor speed"] = flown.run(tunings["ours"], rotor_speed=True)
    tracks["engines alone"] = flown.run(ENGINES, rotor_speed=False)
    scores = {name: _score(flown, track) for name, track in tracks.items()}
    return FlightTrial(scores, (flown, tracks) if show else None)


def _score(flown: SimulatedRun, track: ThrustTrack) -> FlightScore:
    mass = np.nan
    if track.state.log_mass.shape[1]:
        estimate = flown.robot.multibody.mass * float(np.exp(track.state.log_mass[-1, 0]))
        mass = estimate / float(flown.columns["truth/mass"][-1]) - 1.0
    return FlightScore(
        rms(flown.errors(track)),
        flown.nees(track, flown.time >= _IN_THE_AIR),
        int(np.asarray(track.health.failed).max(axis=0).sum()),
        mass,
    )
