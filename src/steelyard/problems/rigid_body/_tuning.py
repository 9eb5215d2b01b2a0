"""Numbers that tune the weighing of one load at one wrist, with their units and reasons."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class SensorErrors:
    """How large the errors of sensors are before anything is measured: one standard deviation."""

    torque_offset: float = 5.0
    """N m: six-axis sensors are rarely tared, and 10 N at half a metre is normal."""
    force_offset: float = 50.0
    """N: offsets of 10 N and more are normal."""
    gyro_bias: float = 0.02
    """rad/s, an axis: about one degree a second, as cheap gyros have it when warm."""
    velocity_bias: float = 0.03
    """m/s, an axis: of a velocity in sensor axes."""
    accelerometer_bias: float = 0.3
    """m/s², an axis: 30 mg."""
    scale: float = 0.01
    """Of an accelerometer, a share."""
    rotation: float = 0.05
    """rad, an axis: how well people mount one sensor on another."""
    attitude_rotation: float = 0.02
    """rad, an axis: how well the frame whose orientation a robot reports is aligned with its force sensor."""
    lever: float = 0.03
    """m, an axis: inertial sensors sit beside the force sensor, not in it."""
    delay: float = 0.01
    """s, between two streams of one robot."""


SENSOR_ERRORS = SensorErrors()


@dataclasses.dataclass(frozen=True)
class FitTuning:
    """Of the joint fit of motion, load and sensor errors."""

    fewest_rows: int = 20
    """Of a channel."""
    scatter_spacing: float = 0.1
    """s, between knots of the curve from which a channel's own scatter is taken."""
    spacings: tuple[float, ...] = (0.8, 0.566, 0.4, 0.283, 0.2, 0.141, 0.1, 0.0707, 0.05, 0.0354, 0.025, 0.0177, 0.0125)
    """s, between knots, that are tried, wide to narrow by factors of the square root of two."""
    most_samples: float = 10.0
    """Samples of a channel between two knots of 0.05 s, where noise was not stated: of more, means are taken. A mean
    over 5 ms is 0.4 % smaller than its middle at 10 Hz, and 0.004 % at 1 Hz."""
    samples_a_knot: float = 2.0
    """Fewest samples of one motion signal between two knots of a curve through that signal alone."""
    rows_a_knot: float = 1.0
    """Fewest rows of the fastest channel between two knots of the joint fit: a row with a gyro, an accelerometer and a
    wrench has twelve readings or more, and a knot six coefficients."""
    speed: float = 3.0
    """m/s: the sensor frame is not likely to move faster where its velocity is not measured."""
    least_speed: float = 0.1
    """m/s: nor is it taken for slower."""
    speed_rounds: int = 3
    """How often the speed is looked for again."""
    speed_misfit: float = 2.0
    """By how much the chi-square of the sensor errors may grow where a slower motion is assumed."""
    held_errors: float = 0.1
    """Share of their standard deviations that lever, scale and delays have while the spacing of knots is looked for."""
    longest_lag: float = 0.06
    """s, of an accelerometer behind the force."""
    lag_step: float = 0.001
    """s, between lags that are tried."""
    lag_coloured: float = 10.0
    """Samples in one independent residual: tools shake for tens of milliseconds."""
    lag_known: float = 0.02
    """s: a lag that is known to half of that is used."""
    lag_explains: float = 0.8
    """Share of a force's power beyond which what the accelerometer leaves of it tells no lag."""
    lag_smooth: float = 0.1
    """s: means over it, twice, leave the motion, and of what shakes at 20 Hz and more one part in forty."""
    lag_deviations: float = 3.0
    """By which the whole bandwidth's lag may differ from the motion's."""
    still_window: float = 0.2
    """s, over which readings are averaged to see whether the frame is still."""
    still_rate: float = 0.03
    """rad/s: a frame that turns more slowly than a gyro's bias does not turn."""
    still_force: float = 0.08
    """m/s²: change of the mean specific force from window to window that shows no motion."""
    still_least: float = 0.4
    """s: shorter spans may be the turning point of a motion."""
    still_acceleration: float = 0.05
    """m/s²: how well a still frame is known not to accelerate."""
    least_mass: float = 0.01
    """kg: no load is taken for less while the fit runs."""
    longest_arm: float = 2.0
    """m: no centre of mass is taken for farther away while the fit runs."""
    load_size: float = 0.15
    """m: how far a load reaches around its centre of mass, where the motion does not tell."""
    drift_step: float = 1.0
    """s: a drifting offset is straight for so long."""
    drift_steps: int = 60
    """At most: each is six unknowns more. Longer logs have longer ones."""
    drift_lever: float = 0.03
    """m: how far a torque's offset wanders for a force's, as those of six-axis sensors do."""
    steps: int = 12
    """Most Gauss-Newton steps in one round."""
    rough_steps: int = 12
    """Most while the spacing of knots is looked for."""
    rounds: int = 3
    """Most rounds with delays taken into the times."""
    least_gain: float = 0.03
    """A step that lowers the misfit (a chi-square) by less ends a round: a sixth of a deviation, and the next step
    would be much smaller still."""
    rough_gain: float = 1.0
    """The same while the spacing of knots is looked for, which is judged by twelve a knot."""
    same_derivatives: float = 1.0
    """Standard deviations an unknown: after a shorter step an answer of a stream has the derivatives of where the step
    began. So far the estimate is from the truth, too, where derivatives would be exact."""
    settled_gain: float = 1.0
    """A fit whose last step still lowers the misfit by more has not settled; less is less than one deviation."""
    least_spacing: float = 0.05
    """s, between knots, where noise was not stated: above 10 Hz wrists and tools flex, and are no rigid bodies."""
    same_time: float = 0.005
    """Share of a knot's spacing: delays that are known to this are in the times of the samples. Readings that are late
    by d are taken to first order; of the fastest that the spline follows (a period of two spacings) that misses
    (pi d / spacing)²/2, a ten-thousandth."""
    least_excess: float = 0.25
    """Noise that was not stated is not taken for less than half of what the channel's own scatter shows."""
    noise_floor: dict[str, float] = dataclasses.field(
        default_factory=lambda: {
            "twist/angular": 2e-3,
            "twist/linear": 3e-3,
            "specific_force": 3e-2,
            "attitude": 3e-4,
            "wrench/torque": 3e-3,
            "wrench/force": 5e-2,
        }
    )
    """SI units, an axis: a channel without a stated noise is not weighed as a better one; filtered is not precise."""
    bands: tuple[float, ...] = (0.4, 1.2, 3.6)
    """Hz, between bands of the wrench's misfit: drifts are in the first, a wrist's motion mostly in the second."""
    fewest_modes: int = 4
    """In the first band: of a short log it is wider."""
    probes: int = 4
    """Random signs by which the degrees of freedom of the wrench's misfit are counted: a few per cent of a band's."""
    most_followed: float = 0.6
    """Share of a band's degrees of freedom that the motion is counted to take at most: in a band of few cosines the
    count by random signs scatters, and shares above this were seen only there."""
    gate: float = 5.0
    """Distance, in standard deviations an axis, beyond which a sample is an outlier."""
    most_gated: float = 0.1
    """Share of outliers beyond which nothing is believed."""
    least_excitation: float = 0.7
    """Share of the fitted motion's power that must be motion and not noise, for the load to be known by it."""
    known_mass: float = 0.1
    """Relative standard deviation from which on a mass counts as known."""
    known_com: float = 0.05
    """m, standard deviation along the worst axis, from which on a centre of mass counts as known."""
    known_inertia: float = 0.7
    """Norm of the standard deviations over the trace, from which on an inertia counts as known. What is known to half
    of the true trace is to be given, and the trace that was found is uncertain, too."""
    long_enough: float = 3.0
    """s, after which what is still unknown counts as not identifiable from this motion."""
    delay_std: float = 0.002
    """s: delays of real wrists differ so much from band to band and axis to axis."""
    contact_window: float = 0.25
    """s, over which the force that the load does not explain is averaged."""
    contact_deviations: float = 6.0
    """How far such a mean must be off, in its own scatter, to be a contact."""
    contact_force: float = 0.3
    """N: no smaller mean is a contact."""
    contact_margin: float = 0.15
    """s, to either side of a contact, that do not count either."""
    contact_edge: float = 0.1
    """s, at either end of the motion signals, in which no contact is looked for."""
    contact_join: float = 0.5
    """s: contacts that are closer together are one: a force that changes its sign is small in between."""
    first_contact_force: float = 0.6
    """N: the same before the load is known, which is rougher."""
    fewest_windows: int = 10
    """In a log in which contacts are looked for before the load is known."""
    longest_push: float = 2.5
    """s: what another load explains for longer is a change and no contact."""
    most_contact: float = 0.5
    """Share of the log beyond which a contact cannot be told from the load."""
    change_evidence: float = 60.0
    """Twice the log-likelihood ratio of a change of all ten parameters; up to 39 was seen on constant loads."""
    change_trim: float = 0.3
    """s, to either side of a change's rough moment, that are left out while its exact moment is looked for."""
    change_gap: float = 0.001
    """s, to either side of a change, that belong to neither load."""
    shortest_piece: float = 1.0
    """s, between two changes of the load."""
    seconds_a_change: float = 3.0
    """s: nobody picks up and puts down more often all along; more changes are a model that does not fit."""
    offset_jump: float = 5.0
    """Deviations: offsets of a force sensor stay when the load changes."""
    most_away: float = 6.0
    """Deviations, of ten parameters together, from what fits best to the nearest load that can exist."""
    misfit_doubtful: float = 4.0
    """Variance of the misfit over the stated one, beyond which an answer is doubtful."""
    unlikely_error: float = 5.0
    """A sensor error of so many of its prior standard deviations is none."""
    densest: float = 22.6e3
    """kg/m³: of osmium, the densest of all materials."""
    check_deviations: float = 6.0
    """An error that no sensor should have is there from so many of its own deviations on."""
    check_sizes: dict[str, float] = dataclasses.field(
        default_factory=lambda: {
            "torque_scale": 0.02,
            "force_delay": 0.002,
            "wrench_smoothing": 5e-4,
            "force_gains": 0.01,
            "gyro_scale": 0.01,
            "velocity_scale": 0.02,
            "velocity_rotation": 0.02,
        }
    )
    """Shares, s, s² and rad: what sensors have, and no log is doubted for. A filter of the first order with a time
    constant T is a delay by T and a smoothing of T²/2: 5e-4 s² are 5 Hz."""
    check_resolution: float = 1.0
    """A log that tells such an error worse than to this many of these sizes does not tell it: what is left is how far
    real wrists are from rigid bodies, which turns up as any error."""
    check_prior: dict[str, float] = dataclasses.field(
        default_factory=lambda: {
            "torque_scale": 1.0,
            "force_delay": 0.1,
            "wrench_smoothing": 0.02,
            "force_gains": 0.3,
            "gyro_scale": 1.0,
            "velocity_scale": 1.0,
            "velocity_rotation": 0.5,
        }
    )
    """Shares, s, s² and rad: nothing larger is looked for by a linear step."""
    answer_every: float = 1.0
    """s, between two answers of a stream."""
    window: float = 20.0
    """s, that an answer of a stream looks back at most: it takes as long however long the stream is."""
    same_event: float = 0.5
    """s, after the end of a contact or a change in which another one is the same."""
    most_poor: int = 2
    """Fits in a row that are poor: one closer spacing of the knots is tried with each."""
    fit_again: float = 1.0
    """How much must come before a poor fit of a log that grows is made anew as a whole, a share of what the last whole
    fit had: what the first second chose (knots, the expected speed, the mounting) may not suit the rest."""
    poor_fit: float = 1.1
    """Misfit a reading, of a log that grows, beyond which closer knots are tried."""
    first_steps: int = 2
    """Most Gauss-Newton steps in a round, and one round, of a log that grows when it is a second long."""
    first_rough_steps: int = 4
    """The same while the spacing of knots is looked for: with fewer, wide knots look worse than they are."""
    first_rough_gain: float = 12.0
    """A step that lowers the misfit by less ends such a round: a knot more must lower it by so much. The first answer
    should take less than 50 ms."""
    short_log: float = 5.0
    """s: a log that grows is given two steps until then, and one step later."""
    most_unsettled: int = 3
    """Rows for which a change is not looked for while the last step of a log that grows gains more than it would."""
    look_again: float = 1.5
    """By which factor a log that grows must be longer to look again for a change that was not found."""
    overlap: float = 0.5
    """s, before its end, from which on the motion of a log that grows is taken from the new samples."""
    shown: int = 200
    """Points of a series."""
    misfit_failed: float = 100.0
    """The same, beyond which no load explains the log."""


TUNING = FitTuning()


@dataclasses.dataclass(frozen=True)
class NumericsTuning:
    """What rounding asks for; answers do not depend on these."""

    held_std: float = 1e-9
    """Of a column that is no unknown: it is carried along, and stays zero."""
    unseen_turn: float = 10.0
    """rad: what holds coefficients in place that no sample sees. It is weak, for whatever slows a step down that
    samples do see makes Gauss-Newton converge by a constant factor a step."""
    unseen_speed: float = 100.0
    """m/s: the same of the velocity."""
    least_eigenvalue: float = 1e-6
    """Of a pseudo-inertia over its trace, for a load to count as possible."""
    least_barrier: float = 1e-5
    """Of a squared distance in standard deviations, to the nearest possible load."""
    least_correlation: float = 1e-12
    """Smallest eigenvalue of a correlation matrix that is told from none."""
    jacobian_terms: int = 6
    """Most of the series of the right Jacobian: corrections are below a radian, and the next one is phi^6 / 5040."""
    least_term: float = 1e-10
    """rad/s and rad/s²: smaller terms of it do not count."""
    mean_rotations: int = 200
    """Of about so many rows the mean attitude of a trajectory is taken, from which corrections are counted."""
    chunk: int = 2000
    """Rows of which every belief of the recursive method is accepted at once."""


NUMERICS = NumericsTuning()


@dataclasses.dataclass(frozen=True)
class SplineTuning:
    """Of the curves that the motion of every fit is made of."""

    degree: int = 5
    """Angular acceleration is a second derivative of the attitude's spline; it should still be smooth."""


SPLINE = SplineTuning()


@dataclasses.dataclass(frozen=True)
class RecursiveTuning:
    """Of the recursive method."""

    hop: float = 0.25
    """s: windows begin so far apart, and last twice as long. Shorter ones need samples closer together, longer ones
    leave out more at the ends of a log."""
    modes: int = 4
    """Modulating functions of a window: they cover 0 to 8 Hz. Faster is noise at a wrist; up to 16 Hz told no more."""
    longest_gap: float = 0.06
    """s, between two readings of one signal: 25 Hz pass, and a hole that is longer ends the windows in which it is."""
    fewest_windows: float = 3.0
    """Before a window can contradict the load, and before a load is known: 72 equations of 16 unknowns."""
    gate: float = 2.5
    """Mean squared innovation of a window's 24 equations, over the misfit so far, from which on the load does not
    explain it: one in 16,000 by chance."""
    unresolved_gate: float = 4.0
    """Factor on it while the motion is hardly more than noise, which makes the load seem smaller than it is."""
    change_windows: float = 10.0
    """Windows that were not explained, 2.5 s, after which it is another load and no contact."""
    least_resolved: float = 0.1
    """Share of a pivot of the information that must be left when the noise of the motion sensors is subtracted."""
    mass_prior: float = 30.0
    """kg: standard deviation of the mass before anything is measured."""
    moment_priors: tuple[tuple[int, float], ...] = ((3, 5.0), (6, 2.0))
    """How many, and standard deviations: of the first moment, kg m, and of the moments, kg m²."""
    tared_prior: float = 1e-6
    """N, N m: of an offset that is known to be none."""


RECURSIVE = RecursiveTuning()
