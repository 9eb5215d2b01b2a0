"""Settings of the bank of hypotheses that prepares the learning machines' inputs, and of what they learn."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class BankTuning:
    """Hypotheses about the mass: when it last jumped or began to drift."""

    hypotheses: int = 60
    """At a time; the least likely one makes room for a new one."""
    jump_chance: float = 2e-3
    """That the mass jumps, a row."""
    bend_chance: float = 3e-4
    """That it begins or ends to drift, a row."""
    jump_std: float = 0.25
    """Of 1/m after a jump, 1/kg: the data set's jumps change it by 0.2 to 0.5."""
    drift_std: float = 0.1
    """Of the rate of 1/m while it drifts, 1/(kg s)."""
    first_std: float = 0.02
    """Of 1/m before the first row, 1/kg: the nominal mass is known."""
    creep: float = 1e-4
    """Of 1/m, a row, in every hypothesis, 1/kg: so that no filter becomes certain."""
    lightest: float = 0.6
    heaviest: float = 1.5
    """Masses, kg, to which inputs are clipped: a sigmoid that has seen no samples somewhere may output anything."""
    surest: float = 0.006
    unsurest: float = 0.2
    """Standard deviations, 1/kg, to which the uncertainty is clipped, for the same reason."""
    uncertain: float = 0.03
    """Uncertainty, 1/kg, from which on a row is rare enough to be learnt in any case."""
    certain_share: float = 1 / 15
    """Of the other rows that is learnt, each with the weight of fifteen."""


@dataclasses.dataclass(frozen=True)
class LearningTuning:
    """Of the runs of learning machines; grids of the paper are in `_learning_machines.py`."""

    flights_at_once: int = 125
    """Flights that are simulated and replayed in one call: 125 fill some hundred megabytes."""
    rows_at_once: int = 128
    """Of those that are learnt online; a compiled call each."""
    held_out: int = 5
    """Repetitions after those that are learnt, on which every machine is scored."""
    windows: tuple[int, ...] = (4, 8, 12, 20, 40, 80)
    """Rows over which the mass is fitted as constant."""


@dataclasses.dataclass(frozen=True)
class FilterTrialTuning:
    """Of the comparison of filters."""

    tuning_seed: int = 1_000_003
    """Added to the seed of the flights on which the faithful filters are tuned: no flight is scored on which one
    was."""
    small_step: float = 0.2
    """Share of the mass, for the delays of detection."""
    settled: float = 1.0
    """Seconds after the start or a change from which on an estimate counts as settled."""
    velocities: tuple[float, ...] = (0.1, 0.2, 0.4)
    """`Preset.velocity`, m/s: what is tried."""
    masses: tuple[float, ...] = (0.05, 0.1, 0.2, 0.4)
    """`Preset.log_mass`: what is tried."""
    jump: float = 0.3
    """How much `log_mass` may change when it does, for the bound."""
    flow: float = 0.08
    """How much the flow may change when it does, kg/s, for the bound."""


TUNING = BankTuning()
LEARNING = LearningTuning()
FILTERS = FilterTrialTuning()
