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
    longest_arm: float = 1.0
    """m, from a wrist's force sensor to the mass centre of what it holds: farther is another unit of the torque."""
    clear_mirror: float = 0.01
    """Of coherence, by which a rotation must beat its mirror image for a wrench's sign to be decided."""
    snap_gravity: float = 0.25
    """rad, from a permutation of axes within which a rotation that gravity alone shows counts as it: the motion's own
    acceleration is noise to it."""
    upright: float = 1.6
    """Largest roll or pitch above which, in rad, a machine would lie on its side: then it is in degrees."""
    level: float = 0.35
    """Largest roll or pitch below which, in degrees, no machine flies: then it is in rad."""
    unit_fits: float = 0.69
    """Logarithm of a ratio, a factor of two, below which angles in a unit fit the motion."""
    unit_apart: float = 0.3
    """By which the other unit must fit worse; rad and deg differ by 4."""
    flies_above: float = 0.25
    """m above the lowest place from which on it flies: beyond ground effect of small machines."""
    off: float = 0.05
    """Share of the largest command below which motors are off."""
    idle: float = 0.45
    """Share of the usual command below which motors idle, where the machine stands still as well: idling takes a tenth
    of a hover's command and a third of its rotor speed."""
    still: float = 0.02
    """m within a second, of a machine that stands."""
    level_speed: float = 0.5
    """m/s, up or down, below which flight is level. Climbing adds to the rotors' inflow, 4 to 10 m/s at hover: a tenth
    of it changes the thrust by about as little as a thrust map is known to."""
    shortest_level: float = 3.0
    """s of level flight that a short flight must have: several periods, of 1 s, of a height controller."""
    long_flight: float = 20.0
    """s of flight from which on climbs and descents are several and their inflow is averaged: no level flight is
    needed."""
    take_off_margin: float = 0.5
    """s left out after take-off and before landing."""
    resting_share: float = 0.7
    """Of one value among a joint's samples, from which on it may not be driven."""
    hardly: float = 0.02
    """Of the largest deviation among joints, below which one that rests is not driven."""
    curvature: float = 0.3
    """s, of each of two differences of a position: noise of 1 mm becomes 0.03 m/s², and motion of 1 Hz is left."""
    fewest_motors: int = 3
    """Of outputs that are no pulses, of outputs that parameters state, and of rotor speeds: one or two may be
    anything."""
    fastest_rotor: float = 30000.0
    """rpm, of rotors that fly: a larger number is a command of 16 bits."""
    fewest_joints: int = 5
    """Of numbered columns without `joint` in their names: four are a quaternion or motors."""
    longest_laid_over: float = 1e5
    """s, of a recording whose clocks are laid over each other; beyond, a time is damaged."""
    shortest_laid_over: float = 1.0
    """s, of either recording; a shorter one has no motion to recognise."""
    most_parts: int = 2000
    """Of a span that is compared: a damaged time makes it as long as you like."""
    coarse_samples: int = 3000
    """In the coarse search for a delay; one to 10 ms needs no more."""
    fewest_windows: int = 5
    """Of an integral's comparison, so that what they disagree about says something."""
    counted_quaternion: float = 100.0
    """Norm of a quaternion from which on its numbers are counts: INAV logs 10000 for 1, sensors 2^14 or 2^30."""
    gravity_share: float = 0.03
    """Of its mean, by which the norm of gravity's direction varies at most; a gyroscope's varies by all of it."""
    geographic: float = 1000.0
    """By which two axes of a position change more slowly than the third if they are degrees: one is 111 km."""
    steepest: float = 180.0
    """deg, of roll and pitch; beyond, angles are in tenths or hundredths of a degree."""
    counted_thrust: float = 255.0
    """Of a thrust in whole numbers, from which on they are a command's or a converter's counts."""
    largest_sample: float = 1e60
    """Of any signal in any unit; beyond, a number is damaged, and powers of it overflow."""
    shortest_step: float = 1e-5
    """s, between most rows: the fastest drives log at 40 kHz."""
    most_grid_rows: float = 5e6
    """Rows of an even grid, gaps included, of a problem whose team needs one: 14 hours at 100 Hz."""
    mostly_gap: float = 100.0
    """Rows of an even grid a row of the log: beyond, a gap is most of it, or a time is damaged."""
    late_clock: float = 1e6
    """s; clocks beyond count from 1970, and the log from its own beginning."""
    slowest_log: float = 2.0
    """Hz, of a log that shows motion, where no unit of time is stated."""
    fastest_log: float = 20000.0
    """Hz, the same; a rate beyond is of another unit."""
    this_century: tuple[float, float] = (1e9, 4e9)
    """s since 1970, first and last of a date that logs may have: 2001 to 2096."""


TUNING = MappingTuning()
