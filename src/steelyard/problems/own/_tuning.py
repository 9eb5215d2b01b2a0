"""The numbers that tune how a robot of one's own is identified."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class OwnTuning:
    """Defaults of every method."""

    known_below: float = 0.5
    """Share of its prior standard deviation below which a quantity is known: the log taught more than it left open."""
    largest_ratio: float = 1e12
    """Of a quantity to the deviation of its guess, and the inverse: beyond it a filter went astray (to 1e-142 kg)."""
    never_seen_above: float = 0.999
    """Share of its prior standard deviation above which a quantity never showed in a measurement: rounding only."""
    relinearised_below: float = 0.05
    """Share of their deviations after the first row below which all quantities are known well enough to linearise."""
    relinearised_std: float = 10.0
    """Times the first pass's deviations that the second pass starts with."""
    change_rows: int = 50
    """Rows before a change is noticed in which it may have begun."""
    errors_tried: int = 24
    """Errors of inputs and readings that are looked for, at most: each is one more run of the filter."""
    error_rows: int = 4000
    """Rows at the end of a log in which they are looked for, at most."""
    error_step: float = 1e-4
    """Of each error, SI, that is added to a log: small against noise, large against rounding."""
    longest_delay: float = 0.5
    """s: what would be later has another name."""
    largest_scale: float = 1.0
    """A share: a scale that is farther off has another name."""
    most_outliers: float = 0.1
    """Share of rows with an outlying input, up to which these samples are left out."""
    left_out_certain: float = 4.0
    """Deviations of an error below which the readings that are left, one being left out, are consistent."""
    left_out_prior: float = 4.0
    """Deviations of the guess by which the quantities may then be off."""
    left_out_better: float = 0.3
    """Share of all misfit that may remain where one reading is named although the rest is not quite consistent."""
    left_out_most: float = 3.0
    """And times the limits of a consistent log."""
    jump_factor: float = 12.0
    """Typical differences from row to row by which all readings must jump at once, for rows or time to be missing."""
    rate_rows: int = 3
    """Rows to either side over which a signal is smoothed before it is differentiated."""
    gap_seconds: float = 0.15
    """s without a row, at least, after which what acted meanwhile is unknown."""
    gap_steps: float = 10.0
    """Steps without a row, at least, for the same."""
    jump_threshold: float = 10.0
    """Log-likelihood ratio from which on a jump is believed, as for a multirotor's mass."""
    jump_settled_after: float = 1.0
    """Time after a jump, s, at which its size is read from the estimate; at its detection the size is rough."""
    jump_confirmed_after: float = 1.0
    """s that a log goes on after a jump for that to be believed: a few bad samples of an input look alike."""
    steps_compared: float = 1.0
    """s over which a map with whole steps is compared with one of half steps."""
    step_matters: float = 0.5
    """Deviations of the noise by which the two may differ."""


TUNING = OwnTuning()
