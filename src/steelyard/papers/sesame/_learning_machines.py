"""Extreme learning machines that estimate a drone's mass from its log, [sesame, Tables 1-3]; one learns online."""

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from steelyard.estimators import Elm, OnlineElm, RandomFeatures, fit_elm, fit_relm
from steelyard.papers.sesame._machine_inputs import INPUTS, inputs_of_flights
from steelyard.papers.sesame._tuning import LEARNING, TUNING
from steelyard.worlds import TRAJECTORIES, SesameScenario

NODES = (50, 100, 300, 500, 1000)
REGULARISATIONS = (1e-7, 1e-5, 1e-3, 0.1, 0.3, 0.5, 0.8, 1.0)
REPETITIONS = (1, 3, 5, 7, 10)
"""That are learnt, of each trajectory and mass profile."""


def _ignore(steps: int) -> None:
    del steps


@dataclasses.dataclass(frozen=True)
class Campaign:
    """Flights as a machine sees them."""

    flights: tuple[SesameScenario, ...]
    inputs: np.ndarray
    """(flight, row, input), see `machine_inputs`."""
    masses: np.ndarray
    """(flight, row), the truth, kg."""

    def only(self, wanted: Callable[[SesameScenario], bool]) -> "Campaign":
        """The flights that are wanted."""
        selected = [k for k, flight in enumerate(self.flights) if wanted(flight)]
        return Campaign(tuple(self.flights[k] for k in selected), self.inputs[selected], self.masses[selected])


def gather_campaign(flown: Iterable[tuple[SesameScenario, Mapping[str, np.ndarray]]]) -> Campaign:
    """Inputs and masses of flights, in their order."""
    flown = list(flown)
    every = [columns for _, columns in flown]
    inputs = [
        inputs_of_flights(every[k : k + LEARNING.flights_at_once])
        for k in range(0, len(every), LEARNING.flights_at_once)
    ]
    masses = np.stack([columns["truth/mass"] for _, columns in flown])
    return Campaign(tuple(flight for flight, _ in flown), np.concatenate(inputs), masses)


@dataclasses.dataclass(frozen=True)
class TrainingRows:
    """The rows that a machine is fitted to."""

    inputs: np.ndarray
    log_masses: np.ndarray
    """(row, 1): a fit of the logarithm is a fit of the relative error."""
    counts: np.ndarray
    """How many rows of a flight each stands for."""


def choose_training_rows(campaign: Campaign, seed: int = 0) -> TrainingRows:
    """All rows at which the mass is uncertain, and every fifteenth of the others, which counts for fifteen.

    At a tenth of the rows the mass is uncertain; the other nine tenths repeat each other: a machine fitted to these
    rows errs as one fitted to everything, for a sixth of the work. Uncertainty is read from the inputs, not from the
    truth.
    """
    inputs = campaign.inputs.reshape(-1, campaign.inputs.shape[2])
    chance = np.where(inputs[:, INPUTS.index("log unsureness")] > np.log(TUNING.uncertain), 1.0, TUNING.certain_share)
    selected = np.random.default_rng(seed).random(len(inputs)) < chance
    return TrainingRows(inputs[selected], np.log(campaign.masses.reshape(-1, 1)[selected]), 1.0 / chance[selected])


def estimate_mass(machine: Elm, inputs: np.ndarray) -> np.ndarray:
    """Mass in kg at each row, from `machine_inputs`, by a machine that has learnt logarithms."""
    return np.exp(np.asarray(machine.predict(inputs))[..., 0])


def relative_error(machine: Elm, campaign: Campaign) -> float:
    """Root of the mean squared relative error over all rows of all flights, in percent, [sesame, Eq. (48)]."""
    return _rmspe(estimate_mass(machine, campaign.inputs), campaign.masses)


def _rmspe(estimates: np.ndarray, masses: np.ndarray) -> float:
    return 100.0 * float(np.sqrt(np.mean((estimates / masses - 1.0) ** 2)))


@dataclasses.dataclass(frozen=True)
class MachineScore:
    """A machine that was trained, and how well it does."""

    machine: Elm
    seconds: float
    """To draw the nodes, evaluate them at the training rows and solve for the weights; the inputs are given."""
    training_error: float
    """Over all rows of the flights that the training rows were taken from, %."""
    held_out_error: float
    """Over all rows of flights that the machine has never met, %."""

    @property
    def norm(self) -> float:
        """Of the output weights."""
        return float(self.machine.norm)


def train_machine(
    training: Campaign,
    held_out: Campaign,
    nodes: int = 500,
    regularisation: float = 1e-5,
    seed: int = 0,
    inputs: Sequence[int] | None = None,
) -> MachineScore:
    """A machine learnt and scored: ELM where the regularisation is zero, else RELM; of some inputs, or of all."""
    rows = choose_training_rows(training, seed)
    if inputs is not None:
        rows = dataclasses.replace(rows, inputs=rows.inputs[:, inputs])
        training, held_out = (
            dataclasses.replace(campaign, inputs=campaign.inputs[..., inputs]) for campaign in (training, held_out)
        )
    began = time.perf_counter()
    features = draw_features(rows, nodes, seed)
    what = features, rows.inputs, rows.log_masses
    if regularisation == 0:
        machine = fit_elm(*what, counts=rows.counts)
    else:
        machine = fit_relm(*what, regularisation, counts=rows.counts)
    jax.block_until_ready(machine.weights)
    seconds = time.perf_counter() - began
    return MachineScore(machine, seconds, relative_error(machine, training), relative_error(machine, held_out))


def draw_features(rows: TrainingRows, nodes: int, seed: int = 0) -> RandomFeatures:
    """Sigmoids for these rows."""
    return RandomFeatures.for_inputs(jax.random.key(seed), nodes, rows.inputs)


@dataclasses.dataclass(frozen=True)
class NodesRow:
    """Of [sesame, Table 1]."""

    nodes: int
    elm: MachineScore
    relm: MachineScore


def table_of_nodes(
    training: Campaign,
    held_out: Campaign,
    nodes: Sequence[int] = NODES,
    regularisation: float = 1e-7,
    seed: int = 0,
    advance: Callable[[int], None] = _ignore,
) -> tuple[NodesRow, ...]:
    """[sesame, Table 1]: how many nodes it takes, without regularisation and with."""
    rows = []
    for number in nodes:
        elm = train_machine(training, held_out, number, 0.0, seed)
        advance(1)
        rows.append(NodesRow(number, elm, train_machine(training, held_out, number, regularisation, seed)))
        advance(1)
    return tuple(rows)


@dataclasses.dataclass(frozen=True)
class RegularisationRow:
    """Of [sesame, Table 2]."""

    regularisation: float
    relm: MachineScore


def table_of_regularisation(
    training: Campaign,
    held_out: Campaign,
    nodes: int = 500,
    seed: int = 0,
    advance: Callable[[int], None] = _ignore,
) -> tuple[RegularisationRow, ...]:
    """[sesame, Table 2]: what it costs to keep the weights small."""
    rows = []
    for regularisation in REGULARISATIONS:
        rows.append(RegularisationRow(regularisation, train_machine(training, held_out, nodes, regularisation, seed)))
        advance(1)
    return tuple(rows)


@dataclasses.dataclass(frozen=True)
class ShareRow:
    """Of [sesame, Table 3]."""

    repetitions: int
    relm: MachineScore


def table_of_share(
    training: Campaign,
    held_out: Campaign,
    repetitions: Sequence[int] = REPETITIONS,
    nodes: int = 500,
    regularisation: float = 1e-5,
    seed: int = 0,
    advance: Callable[[int], None] = _ignore,
) -> tuple[ShareRow, ...]:
    """[sesame, Table 3]: how many repetitions it takes. The training flights have at least as many."""
    order = sorted({flight.repetition for flight in training.flights})
    rows = []
    for number in repetitions:
        first = set(order[:number])
        some = training.only(lambda flight, first=first: flight.repetition in first)
        rows.append(ShareRow(number, train_machine(some, held_out, nodes, regularisation, seed)))
        advance(1)
    return tuple(rows)


@dataclasses.dataclass(frozen=True)
class TrajectoryScore:
    """Errors over the held-out flights of a trajectory, %."""

    trajectory: str
    online: float
    batch: float


@dataclasses.dataclass(frozen=True)
class OnlineLearning:
    """What OSELM has learnt, and how it got there."""

    machine: Elm
    """After the last row; its estimates over a held-out flight are those of [sesame, Figs. 15-16]."""
    batch: MachineScore
    """RELM with the same nodes, rows and regularisation."""
    seconds: float
    """For all rows, compilation included."""
    held_out_error: float
    """%."""
    trajectories: tuple[TrajectoryScore, ...]
    predicted: np.ndarray
    """Mass at each row, kg, as predicted from the chunks before its own."""


def learn_online(
    training: Campaign,
    held_out: Campaign,
    nodes: int = 500,
    regularisation: float = 1e-5,
    memory: float = np.inf,
    seed: int = 0,
) -> OnlineLearning:
    """OSELM, [sesame, Sec. 4.2.5.2]: one row after the other in the order of the flights, some at a time.

    It is scored as the batch machines are, over flights that it has never met, after its last row. With `memory`, in
    rows, it forgets; the batch machine beside it does not.
    """
    batch = train_machine(training, held_out, nodes, regularisation, seed)
    rows = choose_training_rows(training, seed)
    online = OnlineElm(batch.machine.features, regularisation, memory)
    began = time.perf_counter()
    step = eqx.filter_jit(lambda belief, x, y, n: (online.predict(belief, x), online.learn(belief, x, y, counts=n)))
    belief, predicted = online.init(1), []
    for k in range(0, len(rows.inputs), LEARNING.rows_at_once):
        some = slice(k, k + LEARNING.rows_at_once)
        before, belief = step(belief, *(jnp.asarray(a[some]) for a in (rows.inputs, rows.log_masses, rows.counts)))
        predicted.append(np.asarray(before)[:, 0])
    machine = online.machine(belief)
    seconds = time.perf_counter() - began
    scores = []
    for trajectory in TRAJECTORIES:
        part = held_out.only(lambda flight, name=trajectory: flight.trajectory == name)
        if part.flights:
            errors = relative_error(machine, part), relative_error(batch.machine, part)
            scores.append(TrajectoryScore(trajectory, *errors))
    return OnlineLearning(
        machine,
        batch,
        seconds,
        relative_error(machine, held_out),
        tuple(scores),
        np.exp(np.concatenate(predicted)),
    )
