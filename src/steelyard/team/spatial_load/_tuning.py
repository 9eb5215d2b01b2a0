"""What tunes the spatial estimator: spans, thresholds and prior widths, each with unit and reason."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SpatialTuning:
    """Thresholds, spans of rows and prior widths of the spatial estimator."""

    block_rows: int = 50
    """Rows that are filtered at once: enough that NumPy's cost a call is small, few enough for real time."""
    cached_blocks: int = 48
    """Results of blocks that a cache keeps: those of two passes over a few seconds."""
    segment: float = 0.05
    """s of rows, the resolution of the onset of a change."""
    largest_step: float = 0.5
    """Of any coordinate in one Gauss-Newton step: beyond it a linearisation is not to be believed."""
    converged_below: float = 2.0
    """Newton decrement a coordinate, up to which a pass counts as converged: new rows alone make it up to 1."""
    small_curvature: float = 0.5
    """A step over what it may be linear in, times the step in standard deviations, up to which a pass counts as
    converged: about the error of linearising, in standard deviations."""
    fits_below: float = 1.1
    """Ratio of NIS to its expectation, up to which a point explains the rows."""
    negligible_precision: float = 1e-30
    """Next to the largest precision, below which a direction counts as unknown: less is rounding."""
    prior_mass: float = 1.5
    """Standard deviation of half the logarithm of the mass before anything is known: a factor of 20 either way."""
    prior_tilt: float = 0.5
    """rad, of the vertical before anything is known."""
    prior_position: float = 2.0
    """m, of a robot's position before anything is known."""
    prior_rotation: float = 1.0
    """rad, of a robot's rotation before anything is known."""
    refound_tilt: float = 0.1
    """rad, of the vertical that is found again after a change or a gap."""
    chunk: float = 0.1
    """s of rows that are processed together."""
    spread_chunk: float = 0.2
    """s of rows that are processed together where the work is spread over the rows between."""
    start: float = 1.0
    """s of rows before the first linearisation point: fewer do not tell poses from noise."""
    restart: float = 0.2
    """s of rows before the first linearisation point of a load that changed, whose grips are known."""
    growth: float = 1.3
    """Ratio of rows now to rows at the last relinearisation, from which on a pass is relinearised."""
    slow_growth: float = 2.0
    """The same where the work is spread and the load is known."""
    catch_up: int = 4
    """Rows of the relinearisation pass for each new row: it catches up before the next is due."""
    short: float = 2.0
    """s of rows that are gone through at once; a start that does not fit by then is given up."""
    change_test_at: float = 0.1
    """Share of a chunk at which a change is looked for, where the work is spread."""
    relinearise_early: tuple[float, ...] = (0.25, 0.45, 0.65, 0.85)
    """Shares of a chunk at which the relinearisation pass goes on, for a load that is hardly known."""
    relinearise_later: tuple[float, ...] = (0.35, 0.7)
    """The same for other loads."""
    rounds: int = 4
    """Relinearisations at once at a start."""
    final_rounds: int = 15
    """Relinearisations when no more rows will come: there is time, and poor motions converge slowly."""
    enough_decrement: float = 0.1
    """Newton decrement below which another relinearisation is not worth its time."""
    most_damping: float = 1000.0
    """Of a Gauss-Newton step, live: after it the undamped step is tried again, with more rows than before."""
    change_memory: float = 1.5
    """s in which the onset of a change is looked for."""
    unchanging: float = 1.5
    """s of a load in which no change is looked for: it is hardly known."""
    hardly_known: float = 5.0
    """s of a load in which a point may be far off."""
    longest_pass: float = 30.0
    """s of rows that are linearised again; older ones are forgotten."""
    overflow: float = 1e100
    """Information whose products no longer fit into a number."""
    heard_share: float = 0.5
    """Of a start's rows in which a robot is heard, from which on its grip can be found."""
    failed_above: float = 2.0
    """Ratio of NIS to its expectation, beyond which nothing is believed."""
    stuck_above: float = 20.0
    """Newton decrement a coordinate, which a pass that converges is below within two seconds."""
    change_log_ratio: float = 20.0
    """Evidence asked for, natural logarithm: where nothing changed it is reached once in 5·10⁸ onsets tried."""
    onset_log_ratio: float = 3.0
    """By which an onset may be less likely than the best one and still be the true one: one in twenty."""
    shows_after_gap: float = 0.2
    """s within which a change in a gap shows after it: the motion must be known again first."""
    change_converged: float = 1.0
    """Newton decrement a coordinate, up to which a pass can be asked for a change."""
    change_linearisation: float = 0.25
    """Share of the Newton decrement that may be an error of linearising far from the estimate."""
    change_explains: float = 0.33
    """Share of the NIS beyond its expectation that a change must explain: a real one explains more than half to first
    order, a faulty member's motion some per cent."""
    channel_memory: float = 5.0
    """s, time constant of the mean squares of residuals by channel."""
    smoothing: float = 0.12
    """s to either side over which wrenches are smoothed for the Jacobians."""
    longest_line: float = 0.1
    """s without somebody's wrench, over which it is taken as a straight line; less than `smoothing`."""
    longest_gap: float = 0.3
    """s without it, after which estimates are no longer of now."""
    idle_wrench: float = 5.0
    """Standard deviations, up to which a wrench on all axes is that of an open grip."""
    grip_jump: float = 20.0
    """Standard deviations from row to row, from which on a grip has moved."""
    missing_wrench: float = 3.0
    """Times its standard deviation, by which a missing wrench may be off a straight line."""
    unknown_wrench: float = 10.0
    """Times the robots' wrenches, by which the total may be off over a gap."""
    accelerometers_in_gaps: float = 0.001
    """Weight over a gap: they show what acts, but poses may be off by more than they are noisy."""
    usual_radius: float = 0.3
    """m, radius of gyration of what robots usually hold."""
    usual_reach: float = 1.0
    """m, how far apart robots usually hold a load."""
    start_smoothing: float = 0.1
    """s to either side over which readings are smoothed for the first linearisation point."""
    seen_above: float = 3.0
    """Times what noise makes, beyond which a force or a turn was seen."""
    ends_after: float = 0.3
    """s in which nothing came, neither own samples nor messages, after which the last rows count, too."""
    relay_memory: float = 20.0
    """s of samples that a robot can still pass on."""
    samples_a_message: int = 128
    """At most: a message that brings what was missed for a second stays below 20 kB."""
    messages_before_start: int = 100_000
    """That a robot may have sent before the row of the team's start, and by restarts; more is not possible."""
    spare_rows: int = 512
    """For which a history makes room, and that it forgets at once: so that few rows are copied."""
    overtaken: int = 3
    """Later messages that a neighbour has received, after which one before counts as lost."""
    tidy_every: int = 50
    """Steps between removals of what nobody needs any more."""
    sends_every: float = 0.02
    """s from message to message in real time."""
    rows_a_step: int = 20
    """Rows that are taken in at a step, at most: a robot that is behind still answers its neighbours."""
    known_mass: float = 0.1
    """Relative standard deviation up to which a mass is known."""
    known_com: float = 0.05
    """m, standard deviation along the worst axis up to which a centre of mass or a position is known."""
    known_inertia: float = 0.1
    """Largest standard deviation of an entry over the mean moment, up to which an inertia is known."""
    known_rotation: float = 0.05
    """rad, standard deviation about the worst axis up to which a rotation is known."""
    unidentifiable_after: float = 5.0
    """s after which what is far from known is called not identifiable."""
    known_step: float = 4.0
    """Standard deviations by which the last step may move a known number: more is not linear."""
    far_from_known: float = 3.0
    """Times its limit, beyond which something is far from known."""
    reported_after: float = 1.0
    """s of a load before anything is reported of it."""
    known_shape_step: float = 1.0
    """Share of the second moments, or radians, by which a known inertia may yet move: its shape is not linear."""
    most_widened: float = 1.2
    """Factor by which noise in the Jacobians may widen the deviation of a known number."""
    confirmed_below: float = 1.0
    """Standard deviations by which two passes over the same rows, linearised at different points, may differ in a known
    number: they have the same noise, so all of it is an error of linearising, and the later one's is smaller."""
    settled_step: float = 0.5
    """Standard deviations by which a number may yet move while others of the point are far from settled."""
    page_size: int = 64
    """Numbers of a page of a table that copies share: small enough to be copied when one is changed, large enough that
    pages are few."""


TUNING = SpatialTuning()
