"""The bus between processes and machines: Zenoh, one key for each direction of each link."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from steelyard.errors import BadInput
from steelyard.team.transport._zenoh_config import ROOT

Deliver = Callable[[str, bytes], None]
"""Called in a thread of Zenoh's with the sender by the key and what came; it must be quick and never raise."""


def load_zenoh() -> Any:
    """The middleware, or a sentence that says how to get it."""
    try:
        import zenoh
    except ImportError:
        raise BadInput('Robots talk over Zenoh, which is not installed: pip install "steelyard[team]".') from None
    zenoh.init_log_from_env_or("off")
    return zenoh


def open_session(settings: Mapping[str, Any], who: str) -> Any:
    """A session; what keeps it from opening is a `BadInput` that begins with `who`."""
    zenoh = load_zenoh()
    config = zenoh.Config()
    for key, value in settings.items():
        config.insert_json5(key, json.dumps(value))
    try:
        return zenoh.open(config)
    except zenoh.ZError as error:
        where = ", ".join(settings["listen/endpoints"]) or "this machine"
        if "in use" in str(error):
            raise BadInput(
                f"{who} cannot listen on {where}: the port is in use; end the process that has it, or choose another "
                "with port or endpoints in [live]."
            ) from None
        if "assign requested address" in str(error):
            raise BadInput(
                f"{who} cannot listen on {where}: that is no address of this machine; correct endpoints in [live]."
            ) from None
        raise BadInput(
            f"{who} cannot open its links on {where} ({_short(error)}); check endpoints and keys in [live]."
        ) from None


def key_of(team: str, *parts: str) -> str:
    """A key of a team."""
    return "/".join((ROOT, team, *parts))


def declare_local_publisher(session: Any, key: str) -> Any:
    """For what stays on this machine and must not be lost: a sensor's samples, a robot's estimate."""
    return session.declare_publisher(key, congestion_control=load_zenoh().CongestionControl.BLOCK, express=True)


class ZenohBus:
    """One robot's end of the links to its neighbours."""

    def __init__(self, session: Any, team: str, name: str, neighbours: tuple[str, ...], deliver: Deliver):
        zenoh = load_zenoh()
        self._session, self._zenoh = session, zenoh
        # A message that cannot be sent at once is of no use later: the next one holds more.
        how = {"congestion_control": zenoh.CongestionControl.DROP, "express": True}
        self._publishers = {other: session.declare_publisher(key_of(team, name, other), **how) for other in neighbours}

        def hear(sample: Any) -> None:
            deliver(str(sample.key_expr).split("/")[-2], bytes(sample.payload))

        self._subscriber = session.declare_subscriber(key_of(team, "*", name), hear)

    def send(self, neighbour: str, data: bytes) -> None:
        """To a neighbour; nobody knows whether it arrives."""
        try:
            self._publishers[neighbour].put(data)
        except self._zenoh.ZError:  # the link is going down: the message is lost, and counted as such by its number
            return

    def close(self) -> None:
        """Leaves the links."""
        self._subscriber.undeclare()
        self._session.close()


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:160]
