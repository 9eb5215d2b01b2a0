"""`steelyard reproduce cdc14`: four robots weigh a plate without noise, by the paper's seven steps."""

from collections.abc import Callable

from steelyard.papers._reproduction import Reproduction, Row
from steelyard.papers.planar._figures import figures, said_list
from steelyard.papers.planar._load import LINE, NAMES, RATE, Load
from steelyard.papers.planar._picture import picture
from steelyard.papers.planar._record import Record
from steelyard.papers.planar._score import errors_of, worst
from steelyard.report import Markup, Section, figures_table
from steelyard.team import Bus, Stage, cdc14_team, drive

INERTIA = 12.3795
"""kg m² [cdc14, Sec. VI]."""
SECONDS = 80
CDC14_WORK = SECONDS + 1
"""How many times `advance` is called with one."""
QUANTITIES = {"inertia": "inertia", "mass": "mass", "distance": "distance/", "com": "com", "contact": "contact/"}


def reproduce_cdc14(seed: int = 0, advance: Callable[[int], None] = lambda steps: None) -> Reproduction:
    """One run: without noise there is nothing to repeat. The seed chooses the first pushes, until the load turns."""
    load, record = Load(INERTIA), Record()

    def watch(step, robot, turn):
        record.watch(step, robot, turn)
        if robot == NAMES[0] and step % RATE == 0:
            advance(1)

    run = drive(cdc14_team(LINE, RATE, seed=seed), load, Bus(LINE), SECONDS, RATE, watch=watch)
    said = {name: run.last(name) for name in NAMES}
    moments = {name: load.at(said[name]["mass"].time) for name in NAMES}
    errors = {name: [errors_of(said[name], name, INERTIA, moments[name])] for name in NAMES}
    rows = [Row(quantity, "%", None, _percent(worst(errors, part))) for quantity, part in QUANTITIES.items()]
    least = max((row.paper_method for row in rows if row.paper_method is not None), default=float("nan"))
    done = record.stages.get(Stage.DONE)
    findings = [
        f"Every robot knew everything after {done:.1f} s; the largest relative error at any robot is {least / 100:.1e}."
        if done is not None
        else "Not every robot knew everything in the end; the rows without a figure say what was missing.",
        "The paper states no figures; its claim is that every quantity converges at every robot.",
        "Without noise nothing bounds the error; what is left is how long each robot waits before it calls a number "
        "known.",
    ]
    table = figures_table(
        "Relative errors at every robot",
        ["quantity", *NAMES],
        [
            [quantity, *[_short(worst({name: errors[name]}, part)) for name in NAMES]]
            for quantity, part in QUANTITIES.items()
        ],
    )
    sections = [
        Section("What came out", Markup(said_list(findings) + table)),
        figures(record, load, "Every robot over time (the paper's figures)"),
        picture(said, moments, "What every robot believes"),
    ]
    return Reproduction("cdc14", 1, rows, findings, sections)


def _percent(share: float | None) -> float | None:
    return None if share is None else 100.0 * share


def _short(share: float | None) -> str:
    return "not known" if share is None else f"{share:.1e}"
