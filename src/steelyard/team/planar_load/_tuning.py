"""All numbers that tune the planar team's estimation, each with its unit and the reason for its value."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class PlanarLoadTuning:
    """Rows are means over `row_seconds`; most numbers here count rows."""

    row_seconds: float = 0.04
    """s: short against a turn of the load, long enough that sums are few."""
    window_sizes: tuple[int, int] = (128, 640)
    """Rows for which the fit is compiled by XLA; a window has at most the last (25.6 s)."""
    slide: int = 160
    """Rows by which a full window slides: a quarter of it, so that it rarely happens."""
    slide_inflation: float = 2.0
    """Share by which standard deviations grow when a window slides: most of its rows count again in the next window,
    and must not count twice."""
    fewest_rows: int = 25
    """Rows before the first fit (1 s): fewer leave nine unknowns to the noise."""
    fit_every: int = 6
    """Rows between fits (0.24 s): what a fit costs is then a small share of a robot's time."""
    catch_up: int = 48
    """Rows that a robot which is behind still fits in steps of `fit_every`, so that it contributes to every sum that
    the others wait for; from farther behind it jumps."""
    contribute_every: int = 12
    """Rows between contributions to the joint step: every other fit."""
    contributions_stored: int = 20
    """Sets of contributions that are remembered (9.6 s): none takes longer over a bad radio."""
    contribution_timeout: int = 75
    """Rows after a fit's last row, after which its contributions are no longer waited for (3 s): somebody has gone, or
    fits another window. The next outer iteration is made without a step."""
    contribution_delay: int = 12
    """Rows between a fit's last row and the outer iteration that its contributions make: most have come by then."""

    iteration_period: int = 50
    """Rows between outer iterations of the contact positions (2 s)."""
    early_iterations: tuple[int, ...] = (12, 25, 50)
    """Rows after which the first ones come, sooner: the first positions are arbitrary."""
    iterations_stored: int = 3
    """Outer iterations whose sums are remembered: the newest may still be on its way."""
    final_steps: int = 4
    """Joint steps after the last sample, at most."""
    final_step_size: float = 0.05
    """Standard deviations of the load by which such a step must move it: a smaller one changes nobody's answer."""
    newcomer_rows: int = 36
    """Rows from which a newcomer reads its position off the rotation (1.4 s), for which all others wait."""

    guard: int = 12
    """Rows after a robot has gone whose forces may lack its last ones."""
    stalled: int = 180
    """Rows without a new one for a window (7.2 s): by then a newcomer has a position, and who is gone a successor."""
    lost_after: int = 75
    """The same where nothing is known yet (3 s): a first fit takes 25 rows, and what their sums need to come."""
    excluded_within: int = 75
    """Rows by which a robot that was found faulty has found that, too, and adds no more; else it is not listened to."""
    resynchronise_after: int = 36
    """Rows in which neighbours that are a little behind begin the same window by themselves."""
    settled_in: int = 20
    """Rows after its first from which a robot's window is no longer that of a newcomer."""

    jump_evidence: float = 40.0
    """Log-likelihood ratio that makes a change of the load an event: far beyond noise, because the fit is nonlinear."""
    jump_onsets: tuple[int, ...] = (8, 14, 20)
    """Rows before the last at which the load may have changed: 0.3 to 0.8 s."""
    two_loads_onsets: tuple[float, ...] = (0.15, 0.3, 0.45, 0.6, 0.75, 0.9)
    """Shares of a window at which its load may have changed before it was known."""
    two_loads_evidence: float = 12.0
    """Log-likelihood ratio of two loads in a window, above which nothing is known of it: noise alone reaches it once in
    10⁵ windows, and a change that stays below moves an estimate by some standard deviations at most."""
    inconsistent_rows: int = 75
    """Rows through which all fits are farther off than `mended_by_positions` (3 s), after which a window begins again:
    an outer iteration of the contact positions has not mended it, so its rows are not of one load."""
    most_rows_needed: int = 120
    """Rows (4.8 s) that the next window must have to count, if the one given up had as many: what is wrong with
    a sensor or the model shows again by then, and a load that changed does not."""
    mended_by_positions: float = 3.5
    """Mean squared residual, in variances, below which contact positions that still converge may be the cause: over a
    bad radio they left 2.8 after 17 s. Loads that changed before they were known left 7 to 900."""
    mending: float = 0.8
    """Share to which what is too much in the squared residuals must fall, if positions that converge are to be the
    cause. Rows of two loads, or with an unknown force, leave it as it is, while the mean falls with the rows."""
    mending_rows: int = 150
    """Rows in which it must have fallen so far (6 s): three outer iterations over a good radio."""
    mending_steps: int = 3
    """Joint steps of the contact positions in which it must have fallen so far: without them nothing mends it."""
    converging_rows: int = 125
    """Instead of `inconsistent_rows` before the first joint step (5 s): over a bad radio it takes so long."""
    rows_before_jump: int = 100
    """Rows before a change can be told from a fit that is still converging (4 s)."""

    iterations: int = 15
    """Damped Gauss-Newton iterations of a fit that goes on from the last one."""
    iterations_from_guess: int = 25
    iterations_before_event: int = 40
    """Before a change is reported the fit is surely at its minimum."""
    converged: float = 1e-3
    """Cost by which the last iteration improves: a thousandth of what one standard deviation is worth."""
    largest_step: float = 3.0
    """Of any unknown in one iteration: a factor of 20 for what is a logarithm."""
    first_length: int = 96
    """Rows of the first fit where a start does not lead through all rows of a window."""
    longer: float = 1.25
    """Factor by which each of the following fits is longer: predictions over a quarter more rows still hold."""
    astray: float = 1.5
    """Mean squared residual, in variances, of a rollout from which the fit cannot just go downhill."""
    consistent: float = 1.03
    """Mean squared residual, in variances, up to which a fit is consistent with the noise, besides four standard
    deviations of that mean: 3 % for the averaging over rows."""
    usable: float = 2.0
    """The same, up to which contact positions can be improved with a fit: near enough for a Gauss-Newton step."""
    worth_a_try: float = 20.0
    """The same where nothing is known and positions that were read off the rotation have not led to a fit below."""
    largest_log_scale: float = 8.0
    """Of the scale's logarithm, beyond which a fit has diverged: positions are arbitrary by metres at first, and no
    load is of micrometres."""
    largest_log_step: float = 10.0
    """Of mass, inertia and scale in one joint step, beyond which it is taken for rounding."""
    guess_below: int = 100
    """Rows below which a fit also starts from a first guess: a short window has other minima."""
    guess_block: int = 4
    """Rows over which the first guess averages: noise is then small against a turn."""

    rotation_rows: int = 12
    """Rows from which a contact position can be read off the rotation."""
    rotation_ratio: float = 25.0
    """Squared ratio of the team's size to a position's standard deviation that a newcomer's position needs: a fifth."""
    least_information: float = 1e-2
    """Share of a whole window's information that holds the position of a robot without velocities."""
    same_torque: float = 1e-9
    """Relative: torque patterns whose effects differ by less from those before count as none."""

    unknown_after: float = 5.0
    """s after which what is not known is called not identifiable, and an old fit failed."""
    largest_unseen_step: float = 3.0
    """Standard deviations of the load by which the newest joint step may move it while it counts as known: a larger one
    is from positions so far off that their errors are not of first order."""
    largest_std: float = 0.05
    """Relative standard deviation up to which a number is reported."""
    sums_a_row: int = 64
    """Sums that messages can carry each way in the time of a row: an outer iteration of a whole window must pass."""
    longest_force_gap: float = 0.25
    """s of lost samples over which a robot's own force is taken to vary evenly: a fraction of a period of a push."""
    messages_before_start: int = 100_000
    """Messages that a robot may have sent before the team's start; more is no count of messages."""
    clock_noise: float = 5e-4
    """s: to which the clocks of robots agree. At 3 rad/s and 1 m it is 1.5 mm of any contact or centre of mass, which
    was three times the deviation that the velocities alone leave."""
    clock_drift: float = 1e-4
    """Relative, of the team's clock: it is one robot's, and some quartzes are so far off. A mass and all lengths are
    off by as much, an inertia by three times that."""
    rows_relayed: int = 200
    """Rows for which robots' own velocities are remembered (8 s): twice what a consistency check looks at."""
    report_repeats: int = 2
    """Times that a robot's velocity is sent to a neighbour: one message may be lost."""
    reports_a_message: int = 8
    """Such velocities that a message carries: at 50 messages a second, those of eight robots."""
    reports_waiting: int = 400
    """Such velocities that wait for a neighbour; of more the oldest are dropped."""
    most_reports_a_row: int = 100
    """Robots that a row is remembered of: as many as a team has at most."""
    message_seconds: float = 0.02
    """s between messages in real time: below that, processes spend their time on messages."""
    rows_handed_over: int = 4
    """Rows that a robot which goes repeats to its successor: the last ones, which the team may not have yet."""
    slow_velocity: float = 0.05
    """m/s, below which the direction of a noisy velocity is unknown."""
    torque_patterns: int = 16
    """Patterns over a window through which the torques of contact forces act on the joint step (docs/PLANAR_FIT.md,
    section 5). With more, a robot contributes more numbers, and `N_PARTS` must be larger."""
    directions: int = 8
    """Directions of differentiation that compiled code follows at once, row by row; more are taken in groups."""
    rollouts_cached: int = 8
    """Rollouts that a cache keeps: they are large, and robots of one process are a few windows apart."""
    rows_before_steps: int = 32
    """Rows that are there before the first step of an exported window step: fewer leave its unknowns to the noise."""


TUNING = PlanarLoadTuning()
