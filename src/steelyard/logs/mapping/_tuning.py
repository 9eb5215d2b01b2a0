"""Numbers that tune how a recording is examined."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class MappingTuning:
    """Thresholds of the tests by physics; one default instance below."""

    longest_examined: float = 300.0
    """s, of a long recording the part with most motion; enough for every test, and an hour stays within seconds."""
    grid_rate: float = 200.0
    """Hz, at most, of the grid on which two signals are compared."""
    smoothing: float = 0.02
    """s; both signals of a comparison are averaged over 2.5 times as long: differences of attitudes are noisy."""
    longest_window: float = 1.0
    """s, of the averages with which noisy signals are compared: motion of 0.5 Hz and slower is left."""
    agreed: float = 0.985
    """Coherence at which a comparison is good enough to stop averaging more. Below, noise that a controller feeds back
    into the motion shifts delays: by 8 ms at 0.97 in simulated flights, by nothing that shows at 0.99."""
    quiet_share: float = 0.1
    """Of all half-second windows, the quietest: they count as rest."""
    norm_factor: float = 2.5
    """Within which of gravity an accelerometer's norm is, even while it is shaken; g and m/s² differ by 9.8."""
    gravity_varies: float = 0.3
    """Of itself, by which the norm of an accelerometer's half-second means varies at most with gravity in it, unless it
    is shaken: 0.02 to 0.19 in loads and flights, 0.39 in a load that is shaken with 10 m/s², 0.38 without gravity."""
    coherence: float = 0.7
    """From which on two signals count as the same motion; unrelated ones stay below 0.4."""
    margin: float = 0.08
    """Of coherence, by which one hypothesis must be better than the next to be decided."""
    mirrored_share: float = 0.3
    """Of what a rotation of axes leaves unexplained, how much a mirror image may leave to be taken instead."""
    second_axis: float = 0.08
    """Share of the largest singular value that the second must have: turning about one axis alone fixes no rotation."""
    snap: float = 0.35
    """rad, from the nearest signed permutation within which an estimated rotation counts as that permutation."""
    snap_other: float = 0.12
    """rad, within which it counts as a permutation other than the expected one; farther off it stays as estimated."""
    longest_delay: float = 0.5
    """s, of the search for delays between signals of one clock."""
    least_delay: float = 0.002
    """s; shorter delays are not applied, for band and axis matter at that size."""
    delay_floor: float = 0.0001
    """s, no standard deviation of a delay is below: what time stamps are worth at best."""
    integral_window: float = 2.0
    """s, over which a signal's integral is compared: gyroscopes and accelerometers keep their bias that long, and
    motion of 0.5 Hz and faster is left whole."""
    turning_window: float = 4.0
    """s, the same for an attitude: a gyroscope's noise adds up to less than an attitude's within it, a velocity's does
    not."""
    certain_by: float = 4.0
    """Standard deviations by which a delay or drift must differ from zero to be applied within one file. Whoever wrote
    its rows has aligned them already: moving them needs evidence that chance gives once in 16,000 files."""
    likely_by: float = 2.0
    """The same between files: their clocks have no reason to agree. Leaving a delay of two deviations in would be twice
    the error to be expected of taking it out; below, resampling costs more than is gained."""
    gap: float = 0.25
    """s, over which no value is interpolated."""
    followed: float = 0.02
    """s, of rows between the samples of a slow velocity: a quadrotor's tilt, which turns its thrust, takes 0.1 s."""
    merge: float = 2e-6
    """s, within which two samples are of one row."""
    held_share: float = 0.3
    """Of repeated samples in a channel, from which on they are reported."""
    dropped_share: float = 0.02
    """Of missing rows in a regular stream, from which on they are reported."""


TUNING = MappingTuning()
