"""The numbers that tune how a multirotor is identified, each with its unit and the reason for its value."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class MultirotorTuning:
    """Defaults of every method; SI units."""

    shortest_ramp: float = 15.0
    """s of log below which a flight in which mass flows is read by `adaptive`. In ten seconds with a ramp the size of
    the model error and the ramp's end cannot be told apart: masses at the end were three deviations off."""
    mass_prior: float = 0.4
    """Standard deviation of the logarithm of the first mass. A hover in ground effect or with a poor thrust map is off
    by a third at the most."""
    drag_prior: tuple[float, float] = (0.5, 0.2)
    """Standard deviation of the linear (N s/m) and quadratic (N s²/m²) drag coefficient before the flight: about twice
    those of a 1 kg research quadrotor."""
    drag_drift: float = 0.002
    """Random walk of drag, in its units per √s: small, so that drag stays a constant over minutes."""
    loss_drift: float = 0.001
    """Random walk of a mass flow as a share of the mass, 1/s per √s, and its first standard deviation, 1/s: a sprayer
    empties a tank in minutes."""
    lag_prior: tuple[float, float] = (0.05, 0.7)
    """Motors' usual time constant, s, and the standard deviation of its logarithm before the flight: 25 to 100 ms."""
    mass_walk: float = 0.02
    """Random walk of the logarithm of the mass in the paper's filters, per √s: fast enough to follow a step in 1 s."""
    quiet_mass_walk: float = 5e-4
    """The same in `adaptive`, which has a test for jumps and may be quiet between them."""
    jump_std: float = 0.3
    """Prior standard deviation of a jump of the logarithm of the mass: a payload is a third of the take-off mass."""
    flow_jump_share: float = 0.08
    """Prior standard deviation of a jump of the mass flow as a share of the mass, 1/s: a tank lasts 12 s or more."""
    jump_threshold: float = 10.0
    """Log-likelihood ratio from which on a jump is believed: one false alarm in about 40 minutes."""
    jump_bend: float = 0.5
    """Second-order term of the exponential through which a jump of the logarithm of the mass acts."""
    impulse_block: float = 0.25
    """Length of a block of the method `rls`, s: long enough that the velocity noise is small beside the impulse."""
    rls_memory: float = 2.0
    """Time over which the method `rls` forgets, s."""
    rls_gate: float = 8.0
    """Standard deviations from which on the method `rls` takes a reading for an outlier."""
    known_mass_below: float = 0.1
    """Relative standard deviation below which a mass is known."""
    known_drag_below: float = 0.3
    """Share of its prior standard deviation below which drag is known."""
    known_lag_below: float = 0.5
    """Share of its prior standard deviation below which the motors' lag is known."""
    identifiable_within: float = 5.0
    """Time, s, after which what is still unknown is not identifiable from this motion."""
    jump_settled_after: float = 1.0
    """Time after a jump, s, at which its size is read from the estimate; at its detection the size is rough."""
    same_jump_within: float = 0.5
    """Time, s, within which a second jump only corrects the size of the first."""
    noise_rows: int = 4096
    """Rows of a log from which the thrust noise is estimated: more would cost time and change little."""
    least_noise: float = 1e-6
    """SI units: no sensor is better, and a noise-free log stays solvable."""
    position_noise: float = 0.01
    """m, where it is neither stated nor measurable: motion capture or RTK."""
    attitude_noise: float = 0.01
    """rad, likewise: an attitude filter on a common IMU."""
    linear_velocity_noise: float = 0.03
    """m/s, likewise."""
    rates_noise: float = 0.01
    """rad/s, likewise: a common gyroscope."""
    thrust_noise_share: float = 0.03
    """Thrust noise as a share of the mean thrust, where it is not stated; on a log the search begins there."""
    first_mass_span: float = 1.0
    """Time, s, from whose impulse the first mass is taken. A stream starts its filter after this time."""
    outlier_factor: float = 100.0
    """An input that is this many times larger than usual counts as missing: no filter survives being driven by it."""

    block: float = 0.05
    """Length of a block of the method `smoothed`, s: short beside the time in which a change is to be reported, long
    enough that a minute is a thousand blocks."""
    bridged_gap: float = 0.3
    """Longest gap in attitude or thrust, s, over which the method `smoothed` interpolates; what is lost in it is small
    beside what the coloured error allows."""
    impossible_acceleration: float = 50.0
    """m/s²: what thrust and gravity make of a multirotor is half of it; a velocity that changes faster in one row and
    stays there was joined from two flights, or reset."""
    jump_deviations: float = 8.0
    """Usual changes from row to row that such a jump must exceed besides: noise."""
    uneven_blocks: float = 0.5
    """Relative deviation of the time between two blocks beyond which the change of velocity is not used."""
    error_steps: tuple[float, float] = (1.2, 0.4)
    """First step of the search for the error model in its logarithms: from the usual one, and from that of almost the
    same fit."""
    error_prior: tuple[tuple[float, float], ...] = (
        (0.01, 3.0),
        (0.03, 3.0),
        (0.1, 2.0),
        (0.2, 1.0),
        (0.03, 3.0),
        (0.1, 2.0),
        (0.2, 1.0),
    )
    """Usual size, and standard deviation of its logarithm, of each part of `ErrorModel` before the flight: small drones
    leave 1 to 5 % of the weight unexplained, correlated over tenths of a second."""
    error_rounds: int = 14
    """Most rounds of the search for the error model."""
    error_settled: float = 0.05
    """Gain in log-likelihood below which that search takes smaller steps or ends."""

    force_priors: tuple[tuple[str, float], ...] = (
        ("drag", 100.0),
        ("drag/quadratic", 100.0),
        ("tilt/x", 0.03),
        ("tilt/y", 0.03),
        ("wind/x", 1.0),
        ("wind/y", 1.0),
        ("thrust_loss", 0.05),
        ("thrust_loss/axial", 0.1),
        ("thrust_loss/wind", 0.3),
        ("ground_effect", 0.1),
    )
    """Standard deviations before the flight in `smoothed`: drag (N s/m, N s²/m²) is free; the thrust axis is off by a
    degree or two, rad; wind pushes a small drone with a tenth of its weight, m/s²; s/m."""
    flying_thrust: tuple[float, float] = (0.5, 0.8)
    """Shares of the usual thrust: a log that begins or ends below the first does so on the ground, until the second."""
    standing_speed: float = 0.3
    """m/s below which it may stand on the ground: a drone that has dropped half of its weight flies with as little."""
    ground_margin: float = 0.7
    """s about take-off and landing that are left out beside: the ground still carries, and rotors spin up."""
    cruising: float = 0.8
    """Share of its usual height from which on a vehicle has climbed, and a load on a cable has left the ground."""
    longest_climb: float = 4.0
    """s of climb, and of descent, that are left out at the most: of small drones to eye level; a flight at two heights
    is no climb."""
    take_off: float = 0.3
    """m by which a flight's first or last height is below its usual one where it took off or landed."""
    ground_clearance: float = 0.12
    """m between the ground and the rotors of a small drone that stands; ground effect goes with the inverse square of
    their height."""
    mass_rounds: int = 6
    """Most rounds of Gauss-Newton in the mass."""
    mass_settled: float = 1e-5
    """Relative change of the mass below which they end."""
    outlier_deviations: float = 6.0
    """Whitened residuals beyond which a block's velocity is not used."""
    late_blocks: int = 2
    """Blocks before and after a step in which it may leave outliers: a tenth of a second, by which thrust and velocity
    are late against each other and filters smear a step."""
    change_horizon: float = 12.0
    """Time, s, for which a candidate change is followed: longer would find smaller ones, later."""

    longest_correlation: float = 2.0
    """s; a model error that lasts longer looks like a change of the mass, and is reported as one. At 4 s a step of 10 %
    passed for such an error; what is slower is the wander below."""
    short_correlation: float = 0.5
    """s, of the error with which a step is looked for once more that a slower error may hide."""
    usual_error: float = 0.05
    """Share of the weight: small drones leave 1 to 5 % unexplained; what is more may be steps that were not found."""
    hidden_steps: int = 8
    """Most steps that are looked for together then."""
    lasting_places: int = 240
    """Places in a flight at which a step that lasts to its end is tried first: four a second of a minute."""
    finer_places: int = 12
    """The best of them, around which every block is tried: the peak of a sharp step is narrower than that grid."""
    clearer: float = 0.5
    """Gain in the logarithm of the probability from which on another explanation is taken: what the search for an error
    model leaves."""
    tentative_change: float = 12.0
    """Likelihood ratio from which on a change is tried; what is random is estimated again with it before it counts."""
    doubtful_change: float = 6.0
    """The same for a change that is kept only if all changes count together with it: beside a change in the wrong place
    another one looks weak."""
    believed_change: float = 36.0
    """Likelihood ratio (six deviations) from which on a change counts. It is rare under a Gaussian error model; how
    often real errors reach it was not measured, and in flights of 10 s they did about once a minute."""
    lasting_change: float = 16.0
    """Likelihood ratio that a step must keep beside a passing push at the same moment: throttle cuts and touches of the
    ground begin as sharply as a change of the mass."""
    passing: float = 0.4
    """Time in which such a push fades, s."""
    believed_drift: tuple[float, float] = (25.0, 9.0)
    """The same for a slow drift over the whole flight, in flights without and with a coloured error."""
    change_over_error: float = 1.0
    """A change must also be this many times the coloured error's size: ground effect and gusts last for seconds."""
    least_change: tuple[float, float] = (0.03, 0.05)
    """Share of the mass below which nothing is called a change, in flights without and with a coloured error: ground
    effect is some percent of the thrust, and so is what a rotor loses in another flow."""
    unseen_change: float = 0.15
    """Share of the mass: a flight that would not show such a step does not tell the mass at its end. Recorded and
    disturbed flights show steps of 0.06 to 0.1."""
    largest_log_mass: float = 20.0
    """Of kg: beyond 2 µg and 500,000 t no filter weighs a vehicle, it is lost."""
    silent_stream: float = 0.75
    """s without thrust, attitude and rates, or position and velocity after which a stream's mass may have changed."""
    confirmed_after: float = 0.5
    """s of such readings after which it is believed again."""
    end_margin: float = 2.0
    """s from the flight's ends within which no step is looked for: climbs out of ground effect and throttle cuts before
    a landing look like one for that long."""
    seen_moments: int = 24
    """Moments of a flight at which the smallest step that it would show is looked for."""
    step_margin: float = 0.5
    """Half the s from another step within which none is looked for: nothing is picked up and put down within a second,
    but thrust transients last that long."""
    ramp_margin: float = 3.0
    """The same for a change of slope."""
    placing_grid: int = 48
    """Places at which a change is tried between its neighbours, first coarsely, then about the best."""
    moment_prior: tuple[float, float] = (0.05, 1.0)
    """s: standard deviation of the moment of a step, and of a change of slope, about where the search has put it. That
    is a block for a step; where the blocks beside it are outliers, nothing else tells its moment."""
    moment_rounds: int = 4
    """Most rounds in which the moments of changes are moved to their likeliest ones."""
    moment_settled: float = 0.02
    """Share of a block below which a moment moves no more: a tenth of what the data tell of it."""
    most_changes: int = 24
    """In a flight; more would be a vehicle that is not understood."""
    persistent_share: float = 0.15
    """Standard deviation of the model error that lasts for the whole flight, which no flight can tell from the mass, as
    a share of the part that varies: flights of one drone scatter by 0.3 % where 2 % varies."""
    gust_window: float = 0.5
    """s over which a wind's push is averaged: shorter is noise of the velocity, longer misses gusts."""
    least_wind: float = 0.15
    """m/s², of a mean push below which there is no wind: half a metre a second."""
    least_damping: float = 0.1
    """1/s, of the speed by drag, below which a push says nothing of how fast the wind is."""
    push_window: float = 5.0
    """s over which a push across the weight is steady: gusts and swinging loads average out, an attitude that drifts
    does not."""
    push_share: float = 0.5
    """Standard deviation of the mass for what a push may be, as a share of (push / g)² / 2 between wind and tilt."""
    wander_share: tuple[float, float] = (0.25, 0.5)
    """Standard deviation of a wander of the thrust's scale that is slower than the coloured error, as a share of that
    error: where rotor speeds give the thrust and there is no wind, and otherwise. Turbulence along the wind is twice
    that across it, and a rotor feels it by its tilt (a tenth) and by what it loses with the airspeed; a battery sags.
    Of bare flights in a room, with rotor speeds, the stated deviation was twice their spread with the larger share."""
    wander_time: float = 10.0
    """s, its correlation time: tens of metres of turbulence at some metres a second."""
    wander_step: float = 5.0
    """s between the knots of its eigenfunctions, half of that time."""
    most_wander: int = 13
    """Knots at the most: a minute at this step; in longer flights the fast part of it averages out."""
    least_persistent: float = 0.003
    """The same at least, as a share of the mass, in flights that take off or land, and where the thrust comes from
    rotor speeds: real flights of one drone scatter by that much whatever their residuals are. A kelvin or 3 hPa are as
    much of the density of air."""
    shown_colour: float = 20.0
    """Likelihood ratio of a coloured error against white noise, from which on a flight shows one. White noise reached
    12.5 in one of 80 flights; a false one lets losses and drifts join, and widens the interval ninefold."""
    shown_after: float = 25.0
    """s of flight from which on that ratio is asked for; of a shorter one in proportion, for what a coloured error
    shows grows with time: disturbed flights of 9 s showed 4 to 20 and were four deviations off as white noise."""
    white_settled: float = 0.01
    """Relative, to which the size of white noise is found in that comparison: the stated deviation is as exact."""
    white_shifts: tuple[float, ...] = tuple(0.08 * k for k in range(-12, 13))
    """Logarithms of sizes of white noise over the likeliest one, over which its uncertainty is taken."""
    lag_grid: tuple[float, ...] = (0.01, 0.02, 0.03, 0.04, 0.05, 0.065, 0.08, 0.1, 0.13, 0.17)
    """Time constants of the motors that are tried, s: of small motors to large ones."""
    believed_loss: tuple[float, float] = (25.0, 9.0)
    """Likelihood ratio from which on thrust is taken to change with the speed, in flights without and with a coloured
    error: where nothing else is missing, little speaks for it."""
    most_outliers: float = 0.1
    """Share of outliers above which nothing is answered."""
    most_error: float = 0.2
    """Coloured error as a share of the weight above which nothing is answered."""
    least_response: float = 0.4
    """Share of the acceleration that changes of the thrust within a second must make in the motion."""

    near_hover: float = 0.05
    """Relative difference of thrust and weight in a row that counts as hovering."""
    hover_rows: int = 50
    """Fewest such rows from which the command at hover is read."""
    map_with_battery: float = 0.04
    """Relative standard deviation of the published thrust map of a Crazyflie 2.x with the battery's voltage in it: 73
    flights of one drone spread by 2.3 %, drones and propellers differ by about 3 %; single flights are off by 8 %."""
    map_without_battery: float = 0.045
    """The same at the usual voltage, which differs by a twentieth."""
    loaded_voltage: float = 3.3
    """V, of a Crazyflie's battery in flight, 3.1 to 3.5 V."""
    odd_rotor: tuple[float, float] = (0.7, 1.4)
    """A rotor's usual speed over that of the others, outside of which it is implausible."""


TUNING = MultirotorTuning()
