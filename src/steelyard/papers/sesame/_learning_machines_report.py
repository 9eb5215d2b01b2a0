"""Results of the learning machines of the paper: rows, sentences and figures."""

import dataclasses
from collections.abc import Callable

from steelyard.papers._reproduction import ReproductionRow
from steelyard.papers.sesame import _published as published
from steelyard.papers.sesame._data import Flown, fly_all
from steelyard.papers.sesame._filters import Settings
from steelyard.papers.sesame._learning_machines import (
    NODES,
    REGULARISATIONS,
    REPETITIONS,
    MachineScore,
    NodesRow,
    OnlineLearning,
    RegularisationRow,
    ShareRow,
    estimate_mass,
    gather_campaign,
    learn_online,
    table_of_nodes,
    table_of_regularisation,
    table_of_share,
    train_machine,
)
from steelyard.papers.sesame._machine_inputs import INPUTS, machine_inputs
from steelyard.papers.sesame._tuning import LEARNING
from steelyard.report import PLOTTING, Markup, Section, drawing, fill, layout, line, truth_line, value_table
from steelyard.worlds import PROFILES, sesame_flights

TRAINED = 5
"""Repetitions of each trajectory and profile that are learnt, as in the paper."""
MACHINE_STEPS = 2 * len(NODES) + len(REGULARISATIONS) + len(REPETITIONS) + 2
"""Steps in all, for those who show progress."""


@dataclasses.dataclass(frozen=True)
class Machines:
    """The paper's three tables, and OSELM."""

    nodes: tuple[NodesRow, ...]
    regularisation: tuple[RegularisationRow, ...]
    share: tuple[ShareRow, ...]
    online: OnlineLearning
    spans_only: MachineScore
    """RELM of 500 nodes that sees the mass over spans, and not what a bank of filters makes of it."""
    shown: tuple[Flown, ...]
    """Held-out flights for the figures."""

    def rows(self) -> list[ReproductionRow]:
        """RMSE over flights that were never learnt, and time of training."""
        rows = []
        for one in self.nodes:
            for name, stated, score in zip(
                ("elm", "relm"), published.NODES[one.nodes], (one.elm, one.relm), strict=True
            ):
                rows += _rows(f"{name}/{one.nodes}_nodes", stated, score)
        for one in self.regularisation:
            rows += _rows(f"relm/lambda_{one.regularisation:g}", published.REGULARISATION[one.regularisation], one.relm)
        for one in self.share:
            rows += _rows(f"relm/{one.repetitions}_repetitions", published.SHARE[one.repetitions], one.relm)
        rows.append(ReproductionRow("relm/500_nodes_spans_only/rmse", "%", None, None, self.spans_only.held_out_error))
        for one in self.online.trajectories:
            rows.append(ReproductionRow(f"oselm/{one.trajectory}", "%", None, one.batch, one.online))
        return rows

    def findings(self) -> list[str]:
        """Conclusions from the tables."""
        best = next(one for one in self.nodes if one.nodes == 500)
        regular = [one for one in self.online.trajectories if one.trajectory != "random"]
        random = next(one for one in self.online.trajectories if one.trajectory == "random")
        apart = max(abs(one.online / one.batch - 1.0) for one in regular)
        return [
            f"With 500 nodes ELM errs by {best.elm.held_out_error:.2f} % and RELM by {best.relm.held_out_error:.2f} % "
            f"on flights that they never met, by {best.elm.training_error:.2f} and {best.relm.training_error:.2f} % on "
            f"those they learnt; training takes {best.elm.seconds:.2f} and {best.relm.seconds:.2f} s. The paper has "
            "1.89 and 2.21 %, 3.47 and 3.44 s.",
            "What a machine is shown decides: of the mass over six spans of the past alone RELM makes "
            f"{self.spans_only.held_out_error:.2f} %. The rest is another input: the estimate of a bank of filters.",
            f"OSELM is within {100 * apart:.2f} % of RELM on the four regular trajectories, and errs by "
            f"{random.online:.2f} % on random ones, which the paper leaves out.",
        ]

    def sections(self) -> list[Section]:
        """Tables 1-3 and Figures 12-16."""
        headings = ["", "training, s", "published", "RMSE, held out, %", "on what was learnt, %", "published", "norm"]
        first = []
        for one in self.nodes:
            for name, stated, score in zip(
                ("ELM", "RELM"), published.NODES[one.nodes], (one.elm, one.relm), strict=True
            ):
                first.append(_cells(f"{name}, {one.nodes} nodes", stated, score))
        second = [
            _cells(f"λ = {one.regularisation:g}", published.REGULARISATION[one.regularisation], one.relm)
            for one in self.regularisation
        ]
        third = [_cells(f"{one.repetitions} of 50", published.SHARE[one.repetitions], one.relm) for one in self.share]
        tables = [
            Section(f"Learning machines: {title}", value_table(title, [label, *headings[1:]], rows))
            for title, label, rows in (
                ("nodes (Table 1 of the paper)", "machine", first),
                ("regularisation (Table 2 of the paper)", "RELM", second),
                ("share of the data (Table 3 of the paper)", "repetitions learnt", third),
            )
        ]
        return [*tables, self._online_section(), *self._figures()]

    def _online_section(self) -> Section:
        rows = [[one.trajectory, f"{one.online:.2f} %", f"{one.batch:.2f} %"] for one in self.online.trajectories]
        table = value_table("OSELM and RELM", ["trajectory", "OSELM", "RELM"], rows)
        note = fill("<p>RMSE over flights that neither has met.</p>")
        return Section("OSELM", Markup(note + table))

    def _figures(self) -> list[Section]:
        relm = next(one.relm for one in self.nodes if one.nodes == 500)
        pictures = (
            ("lemniscate", 12, "RELM", relm.machine),
            ("random", 13, "RELM", relm.machine),
            ("zigzag", 14, "RELM", relm.machine),
            ("lemniscate", 15, "OSELM", self.online.machine),
            ("zigzag", 16, "OSELM", self.online.machine),
        )
        flown = {(flight.trajectory, flight.profile): columns for flight, columns in self.shown}
        sections = []
        for trajectory, number, name, machine in pictures:
            plots = []
            for profile in PROFILES:
                columns = flown[trajectory, profile]
                mass, caption = estimate_mass(machine, machine_inputs(columns)), f"{trajectory}, {profile}"
                traces = [
                    line(columns["time"], mass, name, 0),
                    truth_line(columns["time"], columns["truth/mass"]),
                ]
                plots.append(drawing(traces, layout(260, "kg"), caption, f"{name} and the true mass: {caption}."))
            title = f"{name} on the {trajectory} (Figure {number} of the paper)"
            sections.append(Section(title, fill('<div class="grid">$plots</div>', plots=plots), PLOTTING))
        return sections


def train_machines(settings: Settings, seed: int, advance: Callable[[int], None]) -> Machines:
    """Flies what there is to learn and what to be tested on, and trains."""
    flown = list(fly_all(sesame_flights(max(REPETITIONS) + LEARNING.held_out), seed))
    everything = gather_campaign(flown)
    advance(1)
    held_out = everything.only(lambda flight: flight.repetition >= max(REPETITIONS))
    learnt = everything.only(lambda flight: flight.repetition < max(REPETITIONS))
    training = everything.only(lambda flight: flight.repetition < TRAINED)
    number, ridge = settings.nodes, settings.regularisation
    online = learn_online(training, held_out, number, ridge, seed=seed)
    advance(1)
    nodes = table_of_nodes(training, held_out, seed=seed, advance=advance)
    regularisation = table_of_regularisation(training, held_out, nodes=number, seed=seed, advance=advance)
    share = table_of_share(learnt, held_out, nodes=number, regularisation=ridge, seed=seed, advance=advance)
    shown = tuple(one for one in flown if one[0].repetition == max(REPETITIONS))
    spans = [k for k, name in enumerate(INPUTS) if name.startswith("log mass over")]
    spans_only = train_machine(training, held_out, seed=seed, inputs=spans)
    return Machines(nodes, regularisation, share, online, spans_only, shown)


def _rows(name: str, stated: published.Published, score: MachineScore) -> list[ReproductionRow]:
    return [
        ReproductionRow(f"{name}/rmse", "%", stated.error, None, score.held_out_error),
        ReproductionRow(f"{name}/training_time", "s", stated.seconds, None, score.seconds),
        ReproductionRow(f"{name}/norm_of_weights", "1", stated.norm, None, score.norm),
    ]


def _cells(name: str, stated: published.Published, score: MachineScore) -> list[str]:
    return [
        name,
        f"{score.seconds:.2f}",
        f"{stated.seconds:.2f}",
        f"{score.held_out_error:.2f}",
        f"{score.training_error:.2f}",
        f"{stated.error:.2f}",
        f"{score.norm:.3g}",
    ]
