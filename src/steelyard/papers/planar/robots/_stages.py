"""When to go on: each robot's own test of convergence, and the vote that makes all change at the same sample.

Votes run in ballots of a fixed number of samples. A robot's vote is set as a ballot opens and does not change in it;
flags spread from neighbour to neighbour; at the ballot's end all have the same flags and draw the same conclusion.
"""

import msgspec

from steelyard.papers.planar.robots._complex_vectors import turned
from steelyard.papers.planar.robots._link import Link
from steelyard.papers.planar.robots._low_pass import LineFit
from steelyard.papers.planar.robots._procedure import Channel, Mode, PaperMessage, PaperState, Procedure, Stage, Vote


def count_votes(state: PaperState, inbox: tuple[PaperMessage, ...]) -> PaperState:
    """Takes in the flags of the current ballot; who missed one follows the stage that others are in."""
    votes, stage = state.votes, state.stage
    for message in inbox:
        if message.ballot == state.ballot:
            votes |= message.votes
            stage = max(stage, Stage(message.stage))
    return msgspec.structs.replace(state, votes=votes, stage=stage)


def next_ballot(state: PaperState, time: float, ballot: int, procedure: Procedure) -> PaperState:
    """As a ballot opens: the conclusion from the last one, then this robot's vote in the new one."""
    if state.ballot >= 0:
        state = _conclude(state, time, procedure)
    return msgspec.structs.replace(state, ballot=ballot, votes=int(own_vote(state, time, procedure)))


def _conclude(state: PaperState, time: float, procedure: Procedure) -> PaperState:
    votes, stage = Vote(state.votes), state.stage
    if stage >= Stage.DONE:
        return state
    if votes & Vote.GIVE_UP:
        return msgspec.structs.replace(
            state, stage=Stage.HALT, since=time, halted_in=stage, fault=bool(votes & Vote.FAULT)
        )
    if not votes & Vote.HOLD:
        return _enter(state, Stage(stage + 1), time, procedure)
    if stage == Stage.TURN:
        mode = _next_mode(state, votes, time, procedure)
        if mode != state.mode:
            coast = state.coast if mode == Mode.TURN else (0.0, 0)
            sign = -1 if coast[0] < 0.0 else 1
            return msgspec.structs.replace(
                state, mode=mode, mode_since=time, coast=coast, inertia_filter=None, turn_sign=sign
            )
    return state


def _next_mode(state: PaperState, votes: Vote, time: float, procedure: Procedure) -> Mode:
    if state.mode == Mode.TURN:
        return Mode.BRAKE if votes & Vote.FAST else Mode.TURN
    if state.mode == Mode.BRAKE:
        return Mode.BRAKE if votes & Vote.SPINNING else Mode.COAST
    if time - state.mode_since < procedure.pause:
        return Mode.COAST
    return Mode.BRAKE if votes & Vote.SPINNING else Mode.TURN


def _enter(state: PaperState, stage: Stage, time: float, procedure: Procedure) -> PaperState:
    """The state at the start of a stage: what the one before it was for is fixed here."""
    new: dict = {"stage": stage, "since": time}
    if stage == Stage.COAST:
        new["links"] = {name: _measured(link) for name, link in state.links.items()}
    elif stage == Stage.TURN:
        new |= {"mode": Mode.COAST, "mode_since": time}
    elif stage == Stage.OBSERVE:
        shared = None if state.values is None else float(state.values[Channel.INERTIA])
        new["inertia"] = shared if procedure.share else 1.0 / state.inertia_fit.gradient
    elif stage == Stage.WEIGH:
        new["center_ratio"] = state.center.mean
    elif stage == Stage.DONE:
        shared = None if state.values is None else float(state.values[Channel.MASS])
        new["mass"] = shared if procedure.share else 1.0 / state.mass_fit.gradient
    return msgspec.structs.replace(state, **new)


def _measured(link: Link) -> Link:
    return msgspec.structs.replace(link, distance=link.fit.gradient**0.5)


def own_vote(state: PaperState, time: float, procedure: Procedure) -> Vote:
    """The vote of this robot on whether the team goes on."""
    vote = Vote.NONE if ready(state, time, procedure) else Vote.HOLD
    spin = abs(state.omega or 0.0)
    if spin > procedure.spin_high:
        vote |= Vote.FAST
    low = procedure.spin_low * (1.5 if state.mode == Mode.COAST else 1.0)
    if state.stage == Stage.TURN and spin > low:
        vote |= Vote.SPINNING
    deaf = state.silent > procedure.rate or any(state.key - at > procedure.rate for at in state.heard.values())
    if deaf:
        vote |= Vote.GIVE_UP | Vote.FAULT
    elif vote & Vote.HOLD and time - state.since > procedure.stage_limit:
        vote |= Vote.GIVE_UP
    return vote


def ready(state: PaperState, time: float, procedure: Procedure) -> bool:
    """Whether this robot has what the stage is for."""
    match state.stage:
        case Stage.SPIN:
            tolerance, memory = 2.0 * procedure.distance_tolerance, procedure.link.memory  # of the square
            known = [_fitted(link.fit, tolerance, memory, procedure) for link in state.links.values()]
            return len(known) == len(state.heard) and all(known)
        case Stage.TURN:
            return _fitted(state.inertia_fit, procedure.inertia_tolerance, procedure.memory, procedure)
        case Stage.SLOW:
            return time - state.since >= procedure.settle and abs(state.omega or 0.0) <= procedure.observer_spin
        case Stage.OBSERVE:
            return state.center.drift < procedure.center_tolerance
        case Stage.WEIGH:
            return _fitted(state.mass_fit, procedure.mass_tolerance, procedure.memory, procedure)
        case Stage.COAST | Stage.AGREE:
            return time - state.since >= procedure.settle
    return True


def _fitted(fit: LineFit, tolerance: float, memory: float, procedure: Procedure) -> bool:
    """Whether a gradient is known: enough samples, of which one that fades counts 1/(1 − memory) at most, and quiet."""
    most = procedure.min_samples if memory >= 1.0 else 0.9 / (1.0 - memory)
    return fit.count >= min(procedure.min_samples, most) and fit.gradient_std < tolerance * fit.gradient


def reference_link(state: PaperState) -> Link | None:
    """The link by which a robot carries z_c along: its first one, whose z_ij is known."""
    return next((link for link in state.links.values() if link.z is not None), None)


def arm_from_center(state: PaperState, dt: float) -> complex | None:
    """r_i − r_c = z_i + z_c at the sample before `key`, once z_c is known.

    By [cdc14, Eq. (6)] and [icra15, Eq. (7)], whose Γ is handed its arguments in another order than it defines.
    """
    link = reference_link(state)
    if state.center_ratio is None or link is None or link.z is None or state.values is None or state.omega is None:
        return None
    z_i = turned(complex(state.values[0], state.values[1]), -state.omega * dt)
    return z_i + state.center_ratio * link.z
