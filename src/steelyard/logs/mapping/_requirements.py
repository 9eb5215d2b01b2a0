"""What each problem needs of a log, and which of our signals can stand for another."""

import dataclasses

from steelyard.logs._recording import Recording
from steelyard.logs.mapping._phrases import is_compensated
from steelyard.logs.mapping._source import SignalMapping, SignalSource


@dataclasses.dataclass(frozen=True)
class Need:
    """One thing a problem cannot do without."""

    what: str
    """In a sentence."""
    alternatives: tuple[str, ...]
    """Signals without the robot, the preferred first; `*` stands for one part."""


@dataclasses.dataclass(frozen=True)
class Requirement:
    """What a problem needs of every robot, and what it also uses."""

    needs: tuple[Need, ...]
    uses: tuple[str, ...] = ()
    robots: int = 1
    """How many robots must have all of it."""
    alone: bool = False
    """Whether no second robot may have it: they would hold one load together."""
    configuration: str = ""
    """What the configuration must state beside the log, in a sentence."""
    answered: bool = True
    """Whether this version has a method for it."""
    otherwise: tuple[tuple[Need, ...], ...] = ()
    """Needs of which one set would do instead, for a smaller answer."""
    otherwise_answered: bool = False
    """Whether this version has a method for that."""


_ATTITUDE = Need("the attitude", ("attitude",))
_MOTION = Need("a velocity or a position in the world", ("linear_velocity", "position"))
_WRIST = (
    Need("the force of a wrist sensor", ("wrench/force",)),
    Need("the torque of a wrist sensor", ("wrench/torque",)),
    Need("an angular velocity or an attitude", ("twist/angular", "rates", "attitude")),
    Need("an accelerometer or a velocity in sensor axes", ("specific_force", "twist/linear")),
)

_COMMANDS = Need("a thrust in newtons, or motor commands", ("thrust", "throttle", "motor", "rpm"))
_MOTORS = Need("a command of each motor", ("motor", "throttle"))
_INERTIAL = (Need("a gyroscope", ("rates",)), Need("an accelerometer", ("specific_force",)))

REQUIREMENTS: dict[str, Requirement] = {
    "multirotor": Requirement(
        (_ATTITUDE, _MOTION, _COMMANDS),
        (
            "rates",
            "specific_force",
            "position",
            "linear_velocity",
            "thrust",
            "rpm",
            "motor",
            "throttle",
            "battery/voltage",
        ),
        otherwise=((*_INERTIAL, _MOTORS), (_MOTION, _MOTORS)),
        otherwise_answered=True,
    ),
    "rigid-body": Requirement(_WRIST, ("twist/linear", "specific_force", "attitude"), alone=True),
    "spatial-load": Requirement(_WRIST, ("twist/linear", "specific_force"), robots=2),
    "planar-load": Requirement(
        (Need("the velocity of the contact", ("velocity",)), Need("the planar force", ("force",))), robots=2
    ),
    "arm": Requirement(
        (
            Need("joint positions", ("joint/*/position",)),
            Need("joint efforts or motor currents", ("joint/*/effort", "joint/*/current")),
        ),
        ("joint/*/velocity", "joint/*/effort", "joint/*/current", "joint/*/position"),
        configuration="the arm's URDF, and its gear ratios where currents were logged",
        answered=False,
    ),
    "jets": Requirement(
        (
            Need("the throttle of every engine", ("throttle",)),
            Need("joint positions", ("joint/*/position",)),
            Need("the attitude of the base", ("base/attitude",)),
        ),
        configuration="the robot's URDF and its engines in [jets]",
    ),
}
"""By problem."""

_ENDS = {"pwm": "1000 to 2000 µs", "pwm16": "0 to 65535", "of 1999": "0 to 1999", "of 8191": "0 to 8191"}
"""Of commands, by unit: what a throttle map's first and last value belong to."""

BRIDGES: dict[str, dict[str, tuple[str, float]]] = {
    "rigid-body": {"rates": ("twist/angular", 1.0)},
    "spatial-load": {"rates": ("twist/angular", 1.0)},
    "multirotor": {"twist/angular": ("rates", 1.0), "motor": ("throttle", 100.0)},
}
"""By problem: a signal that is the same physical quantity as another one that the problem reads, and the factor."""


@dataclasses.dataclass(frozen=True)
class Assessment:
    """Whether a mapping can answer a problem."""

    problem: str
    missing: tuple[str, ...]
    configuration: tuple[str, ...]
    """What the configuration must state."""
    mapping: dict[str, SignalSource]
    """The signals that would be used, as far as they are there."""
    reads: tuple[str, ...]
    """Those of them that the problem cannot do without."""
    complete: bool = False
    """Whether all that it cannot do without is there; a clock or a flight may still be missing."""
    without: tuple[str, ...] = ()
    """What is missing for the whole answer where a smaller one is possible."""

    @property
    def possible(self) -> bool:
        """Whether nothing is missing from the files."""
        return not self.missing


def matching(mapping: SignalMapping, robot: str, pattern: str) -> list[str]:
    """Mapped signals of a robot that a pattern names."""
    return [signal for signal, one in mapping.signals.items() if one.robot == robot and _fits(one.name, pattern)]


def _fits(name: str, pattern: str) -> bool:
    own, parts = name.split("/"), pattern.split("/")
    return len(own) == len(parts) and all(b in ("*", a) for a, b in zip(own, parts, strict=True))


def assess(recording: Recording, mapping: SignalMapping, problem: str, bridged: bool = True) -> Assessment:
    """What of a problem's needs the mapping has, and what is missing in the words of the files.

    Without `bridged`, only what the problem reads itself counts: a log in our own columns is taken as it is.
    """
    requirement = REQUIREMENTS[problem]
    if not bridged:
        requirement = _unbridged(problem, requirement)
    robots = [r for r in dict.fromkeys(one.robot for one in mapping.signals.values()) if r != "truth"]
    complete, lacks, without = {}, {}, ()
    for robot in robots or ["r1"]:
        found, missing = _found(recording, mapping, robot, requirement.needs)
        if missing and requirement.otherwise_answered:
            whole, sets = missing, (_found(recording, mapping, robot, needs) for needs in requirement.otherwise)
            found, missing = next((one for one in sets if not one[1]), (found, missing))
            without = without if missing else tuple(whole)
        if missing:
            lacks[robot] = (missing, tuple(signal for names in found.values() for signal in names))
        else:
            complete[robot] = found
    if requirement.alone and len(complete) > 1:
        text = f"one robot alone: {', '.join(complete)} have a wrench each; [team] robots names those with own loads"
        return Assessment(problem, (text,), (), {}, ())

    def of(robots, reads: tuple[str, ...]) -> dict[str, SignalSource]:
        extra = (s for robot in robots for pattern in requirement.uses for s in matching(mapping, robot, pattern))
        return {signal: mapping.signals[signal] for signal in dict.fromkeys((*reads, *extra))} if reads else {}

    if len(complete) >= requirement.robots:
        reads = tuple(signal for found in complete.values() for names in found.values() for signal in names)
        clock = _no_clock(mapping, {s: mapping.signals[s] for s in reads})
        grounded = () if problem != "multirotor" else _grounded(mapping)
        configuration = [requirement.configuration] if requirement.configuration else []
        command = next((mapping.signals[s] for s in reads if s.endswith(("/motor", "/throttle"))), None)
        if problem == "multirotor" and command is not None and any(s.endswith("/attitude") for s in reads):
            ends = _ENDS.get(command.unit, "0 to 100 %")
            configuration.append(
                f"{command.streams[0]} holds commands and no newtons: a file for --config must state the collective "
                f"thrust, N, at evenly spaced commands from {ends}, as in multirotor.throttle_map = [0.0, 3.1, 8.5, "
                "16.8, 27.7, 41.4]"
            )
        missing, signals = (*clock, *grounded), of(complete, reads)
        return Assessment(problem, missing, tuple(configuration), signals, reads, True, without)
    if requirement.robots > 1 and (complete or not lacks):
        missing = [f"a second robot: the files have {', '.join(complete) or 'none'} alone"]
        reads = tuple(signal for found in complete.values() for names in found.values() for signal in names)
        return Assessment(problem, tuple(missing), (), of(complete, reads), reads)
    robot, (missing, reads) = min(lacks.items(), key=lambda item: len(item[1][0]))
    return Assessment(problem, tuple(missing), (), of([robot], reads), reads)


def _found(recording, mapping, robot: str, needs: tuple[Need, ...]) -> tuple[dict[str, list[str]], list[str]]:
    """The signals that meet each need, and what is missing."""
    found, missing = {}, []
    for need in needs:
        options = [matching(mapping, robot, pattern) for pattern in need.alternatives]
        chosen = next((names for names in options if names), None)
        if chosen is None:
            missing.append(f"{need.what}: {_absent(recording, mapping, need)}")
        else:
            found[need.what] = chosen
    return found, missing


def _unbridged(problem: str, requirement: Requirement) -> Requirement:
    stand_ins = {*BRIDGES.get(problem, {}), *(("attitude",) if requirement.needs == _WRIST else ())}
    needs = (
        dataclasses.replace(need, alternatives=tuple(a for a in need.alternatives if a not in stand_ins))
        for need in requirement.needs
    )
    return dataclasses.replace(requirement, needs=tuple(needs))


def _no_clock(mapping: SignalMapping, signals: dict[str, SignalSource]) -> tuple[str, ...]:
    streams = dict.fromkeys(stream for one in signals.values() for stream in one.streams)
    return tuple(
        f'times: {mapping.times[stream].why} State its rate in a mapping: "{stream}".time = {{rate = 100.0}}'
        for stream in streams
        if stream in mapping.times and not mapping.times[stream].known and mapping.times[stream].rate is None
    )


def _grounded(mapping: SignalMapping) -> tuple[str, ...]:
    return tuple(finding.sentence for finding in mapping.findings if finding.subject.endswith("/flight"))


def _absent(recording: Recording, mapping: SignalMapping, need: Need) -> str:
    """What became of a signal: refused, or no stream holds it."""
    if mapping.stated is not None:
        return f"{mapping.stated} does not state it"
    for finding in mapping.findings:
        name = finding.subject.partition("/")[2]
        if finding.verdict == "refused" and any(_fits(name, pattern) for pattern in need.alternatives):
            return finding.sentence.removesuffix(".")
    streams = sorted(recording.streams, key=lambda stream: -stream.rows)
    listed = ", ".join(stream.name for stream in streams[:4])
    more = f" and {len(streams) - 4} more" if len(streams) > 4 else ""
    if need.what.endswith("of a wrist sensor"):
        fields = [f"{s.name}:{field}" for s in recording.streams for field in s.fields if is_compensated(field)]
        if fields:
            return f"{fields[0]} … are a robot's own estimate of outside forces, in which its load is compensated"
    part = next((stream for stream in streams if need.what == "the attitude" and _angles(stream.fields)), None)
    if part is not None:
        return f"{part.name} has {', '.join(_angles(part.fields))} only"
    return f"no field of {listed}{more} holds it"


def _angles(fields) -> list[str]:
    return [name for name in fields if name.lower().rpartition(".")[2] in ("roll", "pitch", "yaw")]
