"""`steelyard reproduce cdc14`: four robots identify a plate without noise, by the paper's seven steps, and by ours."""

from collections.abc import Callable, Mapping

import numpy as np

from steelyard.estimators import Estimate
from steelyard.papers._reproduction import Reproduction, ReproductionRow
from steelyard.papers.planar._curves import Record
from steelyard.papers.planar._figures import figures, findings_list
from steelyard.papers.planar._load import Load
from steelyard.papers.planar._picture import picture
from steelyard.papers.planar._scenario import CDC14_INERTIA, CDC14_SECONDS, LINE, NAMES, RATE
from steelyard.papers.planar._score import Errors, errors_of, worst
from steelyard.papers.planar._tuning import TUNING
from steelyard.papers.planar.robots import Stage, cdc14_team, drive
from steelyard.report import Markup, Section, value_table
from steelyard.team import Bus, PlanarSample, planar_load_team, run_team

CDC14_WORK = CDC14_SECONDS + TUNING.our_seconds + 2
"""How many times `advance` is called with one."""
QUANTITIES = {"inertia": "inertia", "mass": "mass", "distance": "distance/", "com": "com", "contact": "contact/"}


def reproduce_cdc14(seed: int = 0, advance: Callable[[int], None] = lambda steps: None) -> Reproduction:
    """One run: without noise there is nothing to repeat. The seed chooses the first pushes, until the load turns."""
    load, record = Load(CDC14_INERTIA), Record()
    samples: dict[str, list[PlanarSample]] = {name: [] for name in NAMES}

    def world(forces, dt):
        velocities, time = load(forces, dt), len(load.moments[:-1]) / RATE
        for name in NAMES:
            (vx, vy), (fx, fy) = velocities[name].tolist(), np.asarray(forces[name], float).tolist()
            samples[name].append(PlanarSample(time, (vx, vy), (fx, fy)))
        return velocities

    def report_progress(step, robot):
        if robot == NAMES[0] and step % RATE == 0:
            advance(1)

    def watch(step, robot, turn):
        record.watch(step, robot, turn)
        report_progress(step, robot)

    run = drive(cdc14_team(LINE, RATE, seed=seed), world, Bus(LINE), CDC14_SECONDS, RATE, watch=watch)
    estimates = {name: run.last(name) for name in NAMES}
    moments = {name: load.at(estimates[name]["mass"].time) for name in NAMES}
    errors = {name: [_errors(estimates[name], name, load)] for name in NAMES}
    heard = {name: one[: round(TUNING.our_seconds * RATE) + 1] for name, one in samples.items()}
    ours = run_team(
        planar_load_team(LINE, RATE, TUNING.our_noise),
        heard,
        Bus(LINE),
        watch=lambda step, robot, _: report_progress(step, robot),
    )
    our_errors = {name: [_errors(ours.last(name), name, load)] for name in NAMES}
    rows = [
        ReproductionRow(quantity, "%", None, _percent(worst(errors, part)), _percent(worst(our_errors, part)))
        for quantity, part in QUANTITIES.items()
    ]
    our_least = max((row.steelyard for row in rows if row.steelyard is not None), default=float("nan"))
    least = max((row.paper_method for row in rows if row.paper_method is not None), default=float("nan"))
    done = record.stages.get(Stage.DONE)
    findings = [
        f"Every robot knew everything after {done:.1f} s; the largest relative error at any robot is {least / 100:.1e}."
        if done is not None
        else "Not every robot knew everything in the end; the rows without a value show what was missing.",
        f"Ours, from the first {TUNING.our_seconds} s of the same pushes and velocities: the largest relative error at "
        f"any robot is {our_least / 100:.1e}; it estimates contacts, not distances.",
        "The paper states no numbers; its claim is that every quantity converges at every robot.",
        "Without noise nothing bounds the error; what is left is how long each robot waits before it calls a number "
        "known.",
    ]
    table = value_table(
        "Relative errors at every robot",
        ["quantity", *NAMES],
        [
            [quantity, *[_short(worst({name: errors[name]}, part)) for name in NAMES]]
            for quantity, part in QUANTITIES.items()
        ],
    )
    sections = [
        Section("What came out", Markup(findings_list(findings) + table)),
        figures(record, load, "Every robot over time (the paper's figures)"),
        picture(estimates, moments, "Every robot's estimates"),
    ]
    return Reproduction("cdc14", 1, rows, findings, sections)


def _errors(estimates: Mapping[str, Estimate], robot: str, load: Load) -> Errors:
    return errors_of(estimates, robot, CDC14_INERTIA, load.at(estimates["mass"].time))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share


def _short(share: float | None) -> str:
    return "not known" if share is None else f"{share:.1e}"
