"""Runs of robots that weigh a load, for a process where nothing checks types at run time (see earnest.py)."""

import pickle
from typing import Any, NamedTuple

import msgspec
import numpy as np
from planar_world import CONTACTS, NAMES

from steelyard.team import (
    Agent,
    Bus,
    Cache,
    Disturbance,
    Graph,
    PlanarSample,
    Presence,
    Turn,
    planar_load_team,
    run_team,
)
from steelyard.team.planar_load import _rollouts
from steelyard.team.planar_load._fit import N_UNKNOWNS, Averaging
from steelyard.team.planar_load._rollouts import normal_equations_of, rollout_of, torque_jacobians_of
from steelyard.team.planar_load._sums import N_SUMS, Sum
from steelyard.team.planar_load._window import Prior, Window
from steelyard.worlds import PlanarScenario, planar_truth

NOISE, MASS, INERTIA = 0.2, 5.0, 8.6891
RUB = 2.0, 1.0
LINE = Graph.line(NAMES)


class Pushed(NamedTuple):
    """Samples by robot, the truth by sample (heading, mass, inertia), and the arms at heading zero."""

    samples: dict[str, list[PlanarSample]]
    truth: list[tuple[float, float, float]]
    arms: dict[str, complex]
    rate: float


class Weighed(NamedTuple):
    """What robots said last, what they noticed (time, robot, kind), and what was true."""

    last: dict[str, Any]
    events: list[tuple[float, str, str]]
    push: Pushed


def pushed(
    seconds,
    seed=3,
    names=NAMES,
    contacts=None,
    forces=None,
    drop=None,
    rate=100.0,
    smooth=False,
    noise=NOISE,
    rub=(0.0, 0.0),
) -> Pushed:
    """Robots under sinusoids: forces that are held, or, where `smooth`, straight lines between samples.

    `rub` is friction under the load, viscous (N s/m) and Coulomb (N).
    """
    rng = np.random.default_rng(seed)
    arms = np.array([complex(*(contacts or CONTACTS)[name]) for name in names])
    n, steps, dt = len(names), round(seconds * rate), 1.0 / rate
    amplitude, frequency, phase = (
        rng.uniform(low, high, (2, n)) for low, high in ((1.0, 4.0), (0.05, 0.3), (0.0, 2.0 * np.pi))
    )
    theta, omega, v, mass, inertia, before = 0.3, 0.0, 0j, MASS, INERTIA, None
    samples, truth = {name: [] for name in names}, []
    for k in range(steps + 1):
        x, y = amplitude * np.sin(2.0 * np.pi * frequency * k * dt + phase)
        f = (x + 1j * y) if forces is None else forces(k * dt, x + 1j * y, arms * np.exp(1j * theta))
        acted = [f, f] if not smooth or before is None else [0.75 * before + 0.25 * f, 0.25 * before + 0.75 * f]
        before = f
        if drop is not None and k * dt >= drop:
            mass, inertia = 0.7 * MASS, 0.7 * INERTIA
        for held in acted if k else ():
            h = dt / 2
            middle = arms * np.exp(1j * (theta + 0.5 * h * omega))
            sliding = np.sqrt(abs(v) ** 2 + inertia / mass * omega**2 + 1e-4)
            slowing = (rub[0] + rub[1] / sliding) / mass
            alpha = float(np.sum((middle.conj() * held).imag)) / inertia - slowing * omega
            a = held.sum() / mass - slowing * v
            theta, omega, v = theta + h * (omega + 0.5 * h * alpha), omega + h * alpha, v + h * a
        seen = v + 1j * omega * arms * np.exp(1j * theta) + noise * (rng.normal(size=n) + 1j * rng.normal(size=n))
        for i, name in enumerate(names):
            samples[name].append(PlanarSample(k * dt, (seen[i].real, seen[i].imag), (f[i].real, f[i].imag)))
        truth.append((theta, mass, inertia))
    return Pushed(samples, truth, dict(zip(names, arms, strict=True)), rate)


def weighed(push, radio=None, presences=None, hold="step", graph=LINE, noise=NOISE, friction=False) -> Weighed:
    """The push through a team."""
    events = []

    def watch(k, name, turn):
        events.extend((k / push.rate, name, event.kind) for event in turn.events)

    agents = planar_load_team(graph, push.rate, noise, hold, friction)
    run = run_team(agents, push.samples, Bus(graph, radio), presences, watch)
    return Weighed({name: run.last(name) for name in graph.names}, events, push)


def from_nothing():
    return weighed(pushed(12.0))


def bad_radio():
    return weighed(pushed(12.0), Disturbance(loss=0.3, delay=5, jitter=2, double=0.1, shuffle=True))


def one_leaves():
    def stops(time, f, arms):
        return np.where((np.arange(4) == 3) & (time > 7.0), 0.0, f)

    return weighed(pushed(12.0, forces=stops), presences={"r4": Presence(0, 702)})


def one_joins():
    def starts(time, f, arms):
        return np.where((np.arange(4) == 3) & (time < 4.0), 0.0, f)

    return weighed(pushed(14.0, forces=starts), presences={"r4": Presence(398)})


def gone_or_idle():
    """One that goes at half time, and one that stays and neither pushes nor measures any more."""

    def stops(time, f, arms):
        return np.where((np.arange(4) == 3) & (time > 6.0), 0.0, f)

    push, nan = pushed(12.0, forces=stops), (float("nan"), float("nan"))
    idle = [s if s.time <= 6.0 else PlanarSample(s.time, nan, s.force) for s in push.samples["r4"]]
    gone = weighed(push, presences={"r4": Presence(0, 601)})
    return gone, weighed(push._replace(samples=push.samples | {"r4": idle}))


def rubbing():
    """Friction that is asked for, and friction that is not."""
    push = pushed(12.0, rate=50.0, rub=RUB, noise=0.05)
    return [weighed(push, noise=0.05, friction=friction) for friction in (True, False)]


def part_is_lost():
    return weighed(pushed(17.0, drop=8.0))


def nothing_turns():
    def no_torque(time, f, arms):
        around = 1j * arms
        return f - around * (np.sum((arms.conj() * f).imag) / np.sum(np.abs(arms) ** 2))

    return weighed(pushed(8.0, forces=no_torque))


def no_net_force():
    return weighed(pushed(8.0, forces=lambda time, f, arms: f - f.mean()))


def alone():
    return weighed(pushed(7.0, names=("r1",)), graph=Graph.line(("r1",)))


def one_point():
    return weighed(pushed(8.0, contacts=dict.fromkeys(NAMES, (0.7, 0.4))))


def two_at_one_point():
    return weighed(pushed(9.0, contacts=CONTACTS | {"r2": CONTACTS["r1"]}))


def one_measures_nothing():
    push = pushed(9.0)
    nan = (float("nan"), float("nan"))
    spoilt = [s if s.time < 5.0 else PlanarSample(s.time, nan, s.force) for s in push.samples["r4"]]
    return weighed(push._replace(samples=push.samples | {"r4": spoilt}))


def one_misses_rows():
    """For 0.8 s, in the middle, a robot has no samples; it pushes on."""
    push = pushed(14.0)
    missed = [None if 6.0 < s.time <= 6.8 else s for s in push.samples["r2"]]
    return weighed(push._replace(samples=push.samples | {"r2": missed}))


def samples_end():
    """For one robot, while the others go on; and for all at once, who then only talk."""
    push = pushed(8.0, rate=50.0)
    nothing = [None] * 200
    one = push.samples | {"r2": [s if s.time <= 6.0 else None for s in push.samples["r2"]]}
    everybody = {name: [*own, *nothing] for name, own in push.samples.items()}
    return [weighed(push._replace(samples=samples)).last for samples in (one, everybody)]


def gone_twice():
    """One that goes, is back with nothing, and goes again; idle while it is away."""
    away = ((4.0, 7.0), (10.0, 99.0))

    def pushes(time, f, arms):
        return np.where((np.arange(4) == 3) & any(a < time <= b for a, b in away), 0.0, f)

    push = pushed(13.0, forces=pushes)
    agents, bus = planar_load_team(LINE, push.rate, NOISE), Bus(LINE)
    states, last = {agent.name: agent.init() for agent in agents}, {}
    for k in range(len(push.truth)):
        for agent in agents:
            if agent.name == "r4" and any(a < k / push.rate <= b for a, b in away):
                states["r4"] = agent.init()
                states["r3"] = agents[2].reset_link(states["r3"], "r4")
                continue
            turn = agent.step(states[agent.name], push.samples[agent.name][k], bus.collect(k, agent.name))
            states[agent.name] = turn.state
            bus.post(k, agent.name, turn.outbox)
            last[agent.name] = turn.estimates
    return Weighed(last, [], push), [len(states["r3"].contacts.inherited), states["r3"].window.start]


def long_push():
    """Longer than a window."""
    return weighed(pushed(34.0, rate=25.0))


def wild_push():
    """Longer than two windows, under forces that turn the load so wildly that rollouts soon part."""
    push = PlanarScenario(5, duration=36.0, rate=25.0, force=4.0, velocity_noise=0.5 * NOISE)
    truth = planar_truth(push, 1)
    noise = push.velocity_noise * np.random.default_rng(0).standard_normal(truth.forces.shape)
    velocities = truth.contact_velocities + noise
    acted = 0.5 * (truth.forces + np.concatenate([truth.forces[:1], truth.forces[:-1]]))
    names = [f"r{k + 1}" for k in range(push.robots)]
    samples = {
        name: [PlanarSample(float(t), tuple(velocities[k, i]), tuple(acted[k, i])) for k, t in enumerate(truth.time)]
        for i, name in enumerate(names)
    }
    graph, errors = Graph.line(names), {name: [] for name in names}

    def watch(k, name, turn):
        mass = turn.estimates.get("mass")
        if k / push.rate > 8.0 and mass is not None:
            errors[name].append(np.inf if mass.value is None else abs(mass.value / push.mass - 1.0))

    run_team(planar_load_team(graph, push.rate, push.velocity_noise), samples, Bus(graph), watch=watch)
    return {name: max(one) for name, one in errors.items()}


def rollouts():
    """By friction and part, the largest difference of compiled C from XLA's over the largest number."""
    rng, found = np.random.default_rng(0), {}
    rows = np.abs(rng.standard_normal((100, N_SUMS))) + 1.0
    rows[:, Sum.Z2] += 100.0
    for friction in (False, True):
        window = Window(rows, 0.04, Averaging(0.015, 1e-4), 0.1, Prior.none(), friction)
        x = 0.3 * rng.standard_normal(N_UNKNOWNS) + np.array([0, 0, 0, 0, 1.5, 1.5, 0, 0, 0, 1, 1])
        forces = rng.standard_normal((10, 100)) + 1j * rng.standard_normal((10, 100))

        def derivatives(window=window, x=x, forces=forces):
            normal = normal_equations_of(window, x, (50, 60, 70))
            return normal, rollout_of(Cache(), window, x), torque_jacobians_of(window, x, forces)

        by_c = derivatives()
        _rollouts.compiled_rollout, compiled = lambda *_: None, _rollouts.compiled_rollout
        by_xla = derivatives()
        _rollouts.compiled_rollout = compiled
        for ours, theirs in zip(by_c, by_xla, strict=True):
            for name, a, b in zip(theirs._fields, ours, theirs, strict=True):
                wanted = np.asarray(b)[: len(a)] if np.ndim(a) else np.asarray(b)
                off = np.max(np.abs(a - wanted)) / np.max(np.abs(wanted))
                found[f"{type(theirs).__name__}.{name} {friction=}"] = float(off)
    return found


def sampled_forces():
    """At a low rate and with little noise, where taking them for held ones shows."""
    push = pushed(8.0, rate=25.0, smooth=True, noise=0.1 * NOISE)
    return [weighed(push, hold=hold, noise=0.1 * NOISE) for hold in ("sample", "step")]


class Recorder(Agent):
    """Passes everything on, and keeps the bytes of what came in and went out."""

    def __init__(self, inner):
        self.name, self.inner = inner.name, inner
        self.samples, self.inboxes, self.turns = [], [], []

    def init(self):
        return self.inner.init()

    def step(self, state, sample, inbox) -> Turn:
        self.samples.append(sample)
        self.inboxes.append([msgspec.msgpack.encode(message) for message in inbox])
        turn = self.inner.step(state, sample, inbox)
        self.turns.append(outputs(turn))
        return turn

    def decode(self, data):
        return self.inner.decode(data)


def outputs(turn):
    """All that leaves a step, as bytes."""
    told = {name: msgspec.msgpack.encode(message) for name, message in turn.outbox.items()}
    said = {name: (e.status, None if e.value is None else e.value.tolist()) for name, e in turn.estimates.items()}
    return told, said, turn.action


def recorded_load(seconds=3.0, spoil=None):
    team = [Recorder(agent) for agent in planar_load_team(LINE, 100.0, NOISE)]
    samples = pushed(seconds).samples
    if spoil is not None:
        bad = [s if k < spoil else PlanarSample(s.time, (9.0, 9.0), (9.0, 9.0)) for k, s in enumerate(samples["r4"])]
        samples = samples | {"r4": bad}
    run_team(team, samples, Bus(LINE))
    return {agent.name: agent for agent in team}


def differences_when_alone(name):
    """Steps that come out otherwise when an agent has only its own samples and letters from their bytes.

    At every tenth step its state is kept as bytes and brought back, the step is taken twice, strangers write, and its
    letters come twice. Also steps that changed the state they were given.
    """
    team = recorded_load()
    agent = planar_load_team(LINE, 100.0, NOISE)[NAMES.index(name)]
    state, differs, changed = agent.init(), [], []
    for k, (sample, letters) in enumerate(zip(team[name].samples, team[name].inboxes, strict=True)):
        inbox = tuple(agent.decode(data) for data in letters)
        kept = pickle.dumps(state) if k % 10 == 0 else None
        turn = agent.step(state, sample, inbox)
        if kept is not None:
            if pickle.dumps(state) != kept:
                changed.append(k)
            far = {"r1": "r4", "r2": "r4", "r3": "r1", "r4": "r1"}[name]
            strangers = tuple(agent.decode(data) for data in team[_beside(far)].inboxes[k])
            again = agent.step(pickle.loads(kept), sample, (*(m for m in strangers if m.sender == far), *inbox, *inbox))
            if outputs(again) != outputs(turn):
                differs.append(k)
            turn = again
        if outputs(turn) != team[name].turns[k]:
            differs.append(k)
        state = turn.state
    said = [turn[1] for turn in team[name].turns if turn[1]]
    return differs, changed, {status for status, _ in said[-1].values()}


def _beside(far):
    return LINE.neighbours(far)[0]


def first_differences(start):
    """By robot, the step from which it does something else if r4 measures something else from `start` on."""
    good, worse = recorded_load(2.0), recorded_load(2.0, spoil=start)
    return {
        name: next(k for k, pair in enumerate(zip(good[name].turns, worse[name].turns, strict=True)) if _unlike(*pair))
        for name in NAMES
    }


def _unlike(left, right):
    return repr(left) != repr(right)
