"""The outcome of a team's run: every robot's last status, where every message went, and how processes behaved."""

import json
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from steelyard.live.trials._team import TeamRunner


class LinkAccount(msgspec.Struct, frozen=True):
    """One direction of one link, over the last process of each end."""

    sender: str
    recipient: str
    sent: int
    received: int
    lost: int
    dropped: int
    """For whatever reason, copies aside."""
    copies: int

    @property
    def unaccounted(self) -> int:
        """Zero, or something is wrong."""
        return self.sent - self.received - self.lost - self.dropped


class TeamOutcome(msgspec.Struct, frozen=True):
    """A run in numbers."""

    robots: dict[str, Any]
    """Each robot's last status, or None where there was none."""
    links: list[LinkAccount]
    """Between robots of which no process was killed."""
    dropped: dict[str, int]
    """By reason, at all robots together."""
    events: list[Any]
    truth: dict[str, float]
    seconds_to_start: float | None
    seconds: float
    world_late_ms: float
    returned: dict[str, float]
    """By robot that was killed, s of the run when it ran again."""
    caught_up: dict[str, float]
    """By the same, when it first knew the load as of less than a second before."""
    usage: dict[str, list[tuple[float, float, int]]]
    """By robot, every ten seconds: when, memory in MB, threads."""
    fuzzed: int
    """Bad messages that were sent to the first robot on purpose."""
    folder: str

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        found = msgspec.to_builtins(self)
        for link, entry in zip(self.links, found["links"], strict=True):
            entry["unaccounted"] = link.unaccounted
        return found


def outcome_of(team: "TeamRunner") -> TeamOutcome:
    """Puts the accounts of all processes together."""
    plan, killed = team.plan, team.processes.killed
    finals = {name: _read(plan.folder / f"{name}.final.json") for name in plan.graph.names}
    world = _read(plan.folder / "world.final.json") or {}
    statuses = {name: final["status"] if final else None for name, final in finals.items()}
    dropped: dict[str, int] = {}
    for final in finals.values():
        for reason, count in (final["ledger"]["dropped"] if final else {}).items():
            dropped[reason] = dropped.get(reason, 0) + count
    links = []
    for one, other in plan.graph.links:
        for sender, recipient in ((one, other), (other, one)):
            sent, heard = finals[sender], finals[recipient]
            if sent and heard and not {sender, recipient} & killed:
                links.append(_link(sender, recipient, sent, heard))
    return TeamOutcome(
        robots=statuses,
        links=links,
        dropped=dropped,
        events=[msgspec.to_builtins(event) for event in sorted(team.view.events, key=lambda event: event.time)],
        truth=world.get("truth", {}),
        seconds_to_start=team.started,
        seconds=world.get("seconds", 0.0),
        world_late_ms=world.get("late_ms", 0.0),
        returned=dict(team.returned),
        caught_up=dict(team.caught_up),
        usage={name: list(usage) for name, usage in team.usage.items()},
        fuzzed=team.fuzzed,
        folder=str(plan.folder),
    )


def _link(sender: str, recipient: str, sent: dict, heard: dict) -> LinkAccount:
    accounts = [one for one in heard["ledger"]["from"][sender] if one["epoch"] == sent["epoch"]]
    account = accounts[-1] if accounts else {"received": 0, "lost": 0, "dropped": {}}
    copies = account["dropped"].get("replayed", 0)
    return LinkAccount(
        sender=sender,
        recipient=recipient,
        sent=sent["ledger"]["sent"][recipient],
        received=account["received"],
        lost=account["lost"],
        dropped=sum(account["dropped"].values()) - copies,
        copies=copies,
    )


def _read(path: Any) -> dict[str, Any] | None:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
