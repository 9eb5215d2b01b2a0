"""Ours beyond the paper: other teams, bad radios, robots that come and go, and a load that loses a part."""

import dataclasses
import functools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from steelyard.campaigns import all_of
from steelyard.papers._reproduction import ReproductionRow
from steelyard.papers.planar._centralised import centralised, end_of
from steelyard.papers.planar._scenario import INERTIA, VELOCITY_NOISE
from steelyard.papers.planar._tuning import TUNING
from steelyard.problems import PlanarRecord, PlanarTeamResult, run_planar_load_team
from steelyard.team import Bus, Disturbance, Graph, Presence
from steelyard.worlds import PlanarScenario, PlanarTruth, planar_truth

GRAPHS = ("line", "ring", "random")
QUANTITIES = ("mass", "inertia", "com")
"""The last from a robot's own contact to the centre of mass, world axes."""


@dataclasses.dataclass(frozen=True)
class Trial:
    """Relative errors (robot, quantity) at the end, NaN where nothing is known, and what else came of one push.

    Of `com` the length of the error, by that of the true arm.
    """

    errors: np.ndarray
    central: np.ndarray
    """The same of one who has everybody's data."""
    kilobytes: float
    """A second, of the busiest robot."""
    noticed: tuple[float, ...] = ()
    """By robot, seconds from a change to its first report; infinite for none."""


_PERFECT, _ALWAYS = Disturbance(), Presence()


@dataclasses.dataclass(frozen=True)
class Case:
    """A team, and what happens to it."""

    name: str
    robots: int = TUNING.team_robots
    graph: str = "line"
    radio: Disturbance = _PERFECT
    stay: Presence = _ALWAYS
    """Of the last robot, which pushes only while it is there."""
    drop: float = 0.0

    @property
    def there(self) -> int:
        """How many robots are asked in the end."""
        return self.robots - (self.stay.leave is not None)


HALF = round(TUNING.team_seconds * 50.0)
"""Samples."""
UNDISTURBED = Case("undisturbed")
DISTURBED = (
    Case("30 % of the messages lost", radio=Disturbance(loss=0.3)),
    Case("messages late by 5 samples", radio=Disturbance(delay=5)),
    Case("both", radio=Disturbance(loss=0.3, delay=5)),
    Case("one leaves at half time", stay=Presence(leave=HALF)),
    Case("one joins at half time", stay=Presence(join=HALF)),
)
DROPPED = Case("a part is lost", drop=TUNING.drop)


def sizes(numbers: Sequence[int]) -> list[Case]:
    """A case for each number of robots and kind of graph."""
    return [Case(f"{n} robots, {kind}", n, kind) for n in numbers for kind in GRAPHS]


def trials_of(case: Case, seeds: Sequence[int], advance: Callable[[int], None]) -> list[Trial]:
    """Over the cores of this machine."""
    return all_of(functools.partial(team_trial, case), seeds, advance)


def team_trial(case: Case, seed: int) -> Trial:
    """One push of the case; forces shrink with the root of the team's size, so that all move the load alike."""
    force = 4.0 * math.sqrt(TUNING.team_robots / case.robots)
    push = PlanarScenario(
        case.robots,
        force=force,
        duration=TUNING.team_seconds,
        inertia=INERTIA,
        velocity_noise=VELOCITY_NOISE,
        drop_share=case.drop,
        drop_time=TUNING.team_seconds / 2,
    )
    truth = planar_truth(push, seed)
    away = [not case.stay.covers(k) for k in range(len(truth.time))]
    forces = truth.forces.copy()
    if any(away):
        forces[away, -1] = 0.0
        truth = planar_truth(push, seed, forces)
    noise = VELOCITY_NOISE * np.random.default_rng([seed, 35]).standard_normal(forces.shape)
    velocities = truth.contact_velocities + noise
    velocities[away, -1] = np.nan
    before = np.concatenate([forces[:1], forces[:-1]])
    graph = _graph(case, seed)
    record = PlanarRecord(graph, truth.time, velocities, 0.5 * (before + forces), VELOCITY_NOISE, 0.0, ())
    result = run_planar_load_team(record, bus=Bus(graph, case.radio, seed), presences={graph.names[-1]: case.stay})
    asked = graph.names[: case.there]
    errors = np.array([_errors(result, robot, name, truth) for robot, name in enumerate(asked)])
    noticed = tuple(_noticed(result, name) for name in asked) if case.drop else ()
    kilobytes = max(result.bytes_a_second.values()) / 1e3
    central = np.full_like(errors, np.nan) if case.drop else _central(record, truth)[: case.there]
    return Trial(errors, central, kilobytes, noticed)


def rms(trials: Sequence[Trial]) -> np.ndarray:
    """By quantity, relative, at the worst robot; NaN where one did not know."""
    return np.sqrt(np.mean([trial.errors**2 for trial in trials], axis=0)).max(axis=0)


def _central_rms(trials: Sequence[Trial]) -> np.ndarray:
    return np.sqrt(np.mean([trial.central**2 for trial in trials], axis=0)).max(axis=0)


def _apart(trials: Sequence[Trial]) -> np.ndarray:
    """How far the worst robot's m and J are from the centralised answer's, RMS, as a share of that one's RMS error.

    A few trials determine this well. The ratio of the two errors they determine badly: answers that are a tenth of an
    error apart have errors alike to half a per cent in the long run, and to ten in one trial.
    """
    difference = np.sqrt(np.mean([(trial.errors - trial.central) ** 2 for trial in trials], axis=0)).max(axis=0)
    return (difference / _central_rms(trials))[:2]


def size_rows(case: Case, trials: Sequence[Trial]) -> list[ReproductionRow]:
    """Ours at the worst robot, beside the centralised answer to the same data."""
    central = _central_rms(trials)
    name, kind = case.robots, case.graph
    rows = [
        ReproductionRow(
            f"team/{kind}/{name}/{quantity}", "%", steelyard=100.0 * float(ours), bound=100.0 * float(least)
        )
        for quantity, ours, least in zip(QUANTITIES, rms(trials), central, strict=True)
    ]
    rows += [
        ReproductionRow(f"team/{kind}/{name}/{quantity}/apart", "%", steelyard=100.0 * float(share))
        for quantity, share in zip(QUANTITIES, _apart(trials), strict=False)
    ]
    return [
        *rows,
        ReproductionRow(f"team/{kind}/{name}/sent", "kB/s", steelyard=max(trial.kilobytes for trial in trials)),
    ]


def conclude(found: Mapping[Case, Sequence[Trial]]) -> list[str]:
    """In sentences."""
    sentences, usual = [], rms(found[UNDISTURBED])
    for case, trials in found.items():
        ours = rms(trials)
        if case.stay != _ALWAYS:
            # Fewer pushed and measured, so no estimator could know as much as the whole team does.
            m, J, c = ours / _central_rms(trials)
            sentences.append(
                f"When {case.name}, the RMS error of those that are there in the end is {m:.2f} (m), {J:.2f} (J) and "
                f"{c:.2f} (centre of mass) of the centralised answer's to the same pushes and readings."
            )
        elif case in DISTURBED:
            m, J, c = 100.0 * (ours / usual - 1.0)
            sentences.append(
                f"With a disturbance ({case.name}) the others' RMS error ends {m:+.0f} % (m), {J:+.0f} % (J) and "
                f"{c:+.0f} % (centre of mass) off the undisturbed team's."
            )
        elif case == DROPPED:
            late = max(one for trial in trials for one in trial.noticed)
            worst = 100.0 * max(float(np.abs(trial.errors[:, :2]).max()) for trial in trials)
            sentences.append(
                f"When the load loses {100 * TUNING.drop:.0f} % the last robot of all trials reports it after "
                f"{late:.2f} s, and {TUNING.team_seconds / 2:g} s later no robot's m or J is off by more "
                f"than {worst:.2f} %."
            )
        elif case != UNDISTURBED:
            m, J, c = ours / _central_rms(trials)
            sent = max(trial.kilobytes for trial in trials)
            apart = 100.0 * _apart(trials)
            sentences.append(
                f"{case.name}: the worst robot's RMS error is {m:.2f} (m), {J:.2f} (J) and {c:.2f} (centre of mass) of "
                f"the centralised answer's, from which it is {apart[0]:.0f} % (m) and {apart[1]:.0f} % (J) of an error "
                f"away; the busiest sends {sent:.0f} kB a second."
            )
    return sentences


def _graph(case: Case, seed: int) -> Graph:
    return Graph.of_kind(case.graph, [f"r{i + 1:03d}" for i in range(case.robots)], seed)


def _errors(result: PlanarTeamResult, robot: int, name: str, truth: PlanarTruth) -> list[float]:
    estimates = result.last[name]
    row = int(np.argmin(np.abs(truth.time - estimates["com"].time)))
    arm, com = truth.arms[row, robot], estimates["com"].value
    found = [math.nan if com is None else float(np.linalg.norm(com + arm) / np.linalg.norm(arm))]
    for quantity in ("inertia", "mass"):
        value = estimates[quantity].value
        found.insert(0, math.nan if value is None else float(value) / float(getattr(truth, quantity)[-1]) - 1.0)
    return found


def _central(push: PlanarRecord, truth: PlanarTruth) -> np.ndarray:
    dt = np.diff(push.time, prepend=push.time[:1])
    state = centralised(truth.state_at(0), dt, push.force, push.velocity)
    logs = np.array([state.log_mass, state.log_inertia], float)
    load = np.exp(logs) / np.array([truth.mass[0], truth.inertia[0]]) - 1.0
    arms = truth.arms[-1]
    off = np.linalg.norm(np.asarray(end_of(state, dt, push.force).arms) - arms, axis=1) / np.linalg.norm(arms, axis=1)
    return np.column_stack([np.tile(load, (len(arms), 1)), off])


def _noticed(result: PlanarTeamResult, name: str) -> float:
    times = [noticed - TUNING.team_seconds / 2 for robot, noticed, _ in result.events if robot == name]
    return min((time for time in times if time >= 0.0), default=math.inf)
