"""Nobody in who does not belong: over real links, a robot hears whom its keys let in, and nobody else."""

import time
from pathlib import Path

import pytest

pytest.importorskip("zenoh")
pytest.importorskip("cryptography")

from teams import free_ports

from steelyard.errors import BadInput
from steelyard.team.transport import (
    Endpoints,
    ZenohBus,
    key_files,
    key_of,
    local_settings,
    make_keys,
    open_session,
    team_settings,
)

ROBOTS = {"r1": "127.0.0.1", "r2": "127.0.0.1", "r3": "127.0.0.1"}


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    """r1 and r2 with keys and a link; yields what r2 hears, and what a stranger needs to try."""
    keys = tmp_path_factory.mktemp("team") / "keys"
    make_keys(keys, "t", ROBOTS)
    port = free_ports(3)
    endpoints = Endpoints({name: f"127.0.0.1:{port + k}" for k, name in enumerate(ROBOTS)}, {})
    heard: list[tuple[str, bytes]] = []
    buses = []
    for name, neighbours in (("r1", ("r2",)), ("r2", ("r1", "r3"))):
        session = open_session(team_settings("t", name, neighbours, endpoints, key_files(keys, name)), name)
        take = (lambda sender, data: heard.append((sender, data))) if name == "r2" else (lambda sender, data: None)
        buses.append(ZenohBus(session, "t", name, neighbours, take))
    assert sends_until_heard(lambda: buses[0].send("r2", b"hello"), heard), "a neighbour with its own key is heard"
    yield keys, endpoints, heard
    for bus in buses:
        bus.close()


def sends_until_heard(send, heard, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not heard:
        send()
        time.sleep(0.02)
    return bool(heard)


def intruder(endpoints: Endpoints, tls: dict) -> dict:
    settings = local_settings(None, [])
    settings |= {"connect/endpoints": [f"tls/{endpoints.links['r2']}"], "connect/timeout_ms": 300}
    return settings | {f"transport/link/tls/{key}": str(path) for key, path in tls.items()}


def shout(settings: dict, key: str, heard: list) -> list[bytes]:
    """What r2 hears of somebody who shouts for half a second."""
    time.sleep(0.1)
    heard.clear()
    session = open_session(settings, "somebody")
    for _ in range(25):
        session.put(key, b"noise")
        time.sleep(0.02)
    session.close()
    return [data for _, data in heard if data == b"noise"]


def test_a_stranger_without_a_certificate_is_not_heard(team):
    keys, endpoints, heard = team
    settings = intruder(endpoints, {"root_ca_certificate": keys / "authority.crt"})
    assert shout(settings, key_of("t", "r1", "r2"), heard) == []


def test_a_certificate_of_another_authority_is_worth_nothing(team, tmp_path: Path):
    keys, endpoints, heard = team
    make_keys(tmp_path / "keys", "t", ROBOTS)
    other = key_files(tmp_path / "keys", "r1")
    tls = {"root_ca_certificate": keys / "authority.crt"}
    tls |= {"connect_certificate": other.certificate, "connect_private_key": other.private}
    assert (
        shout(intruder(endpoints, tls) | {"transport/link/tls/enable_mtls": True}, key_of("t", "r1", "r2"), heard) == []
    )


def test_a_robot_is_heard_under_its_own_name_and_under_no_other(team):
    keys, endpoints, heard = team
    own = key_files(keys, "r3")
    tls = {"root_ca_certificate": own.authority}
    tls |= {"connect_certificate": own.certificate, "connect_private_key": own.private}
    settings = intruder(endpoints, tls) | {"transport/link/tls/enable_mtls": True}
    assert shout(settings, key_of("t", "r1", "r2"), heard) == []
    assert shout(settings, key_of("t", "r3", "r2"), heard) != []


def test_private_keys_are_their_owners_alone_and_others_are_refused(tmp_path: Path):
    made = make_keys(tmp_path, "t", {"r1": "127.0.0.1"})
    private = [path for path in made if path.suffix == ".key"]
    assert len(private) == 2
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in private)
    assert make_keys(tmp_path, "t", {"r1": "127.0.0.1"}) == [], "what is there is kept"
    (tmp_path / "r1.key").chmod(0o644)
    with pytest.raises(BadInput, match="chmod 600"):
        key_files(tmp_path, "r1")
    with pytest.raises(BadInput, match="steelyard team keys"):
        key_files(tmp_path, "r2")
