"""How Zenoh is set up: peers with named endpoints that hear their neighbours and nobody else."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steelyard.team.transport._tuning import TUNING

ROOT = "steelyard"
"""First part of every key."""


@dataclasses.dataclass(frozen=True)
class KeyFiles:
    """What a robot needs for links that are encrypted both ways."""

    authority: Path
    """Certificate of the team's own authority."""
    certificate: Path
    private: Path


@dataclasses.dataclass(frozen=True)
class Endpoints:
    """Where robots listen, `host:port` by name; without keys all hosts are this machine."""

    links: Mapping[str, str]
    """For neighbours."""
    local: Mapping[str, str]
    """For the robot's own sensors and whoever watches, always on this machine."""


def team_settings(
    team: str, name: str, neighbours: tuple[str, ...], endpoints: Endpoints, keys: KeyFiles | None
) -> dict[str, Any]:
    """Of a robot's session with its neighbours: each link is asked for by the robot with the later name."""
    kind = "tcp" if keys is None else "tls"
    called = [f"{kind}/{endpoints.links[other]}" for other in neighbours if other < name]
    settings = _peer([f"{kind}/{endpoints.links[name]}"], called)
    if keys is not None:
        files = {
            "root_ca_certificate": str(keys.authority),
            "enable_mtls": True,
            "verify_name_on_connect": True,
            "listen_certificate": str(keys.certificate),
            "listen_private_key": str(keys.private),
            "connect_certificate": str(keys.certificate),
            "connect_private_key": str(keys.private),
        }
        settings |= {f"transport/link/tls/{key}": value for key, value in files.items()}
        settings |= {"transport/link/protocols": ["tls"], "access_control": _access(team, name, neighbours)}
    return settings


def local_settings(listen: str | None, connect: list[str]) -> dict[str, Any]:
    """Of a session that stays on this machine."""
    return _peer([] if listen is None else [f"tcp/{listen}"], [f"tcp/{one}" for one in connect])


def _peer(listen: list[str], connect: list[str]) -> dict[str, Any]:
    return {
        "mode": "peer",
        "listen/endpoints": listen,
        "listen/exit_on_failure": True,
        "listen/timeout_ms": 0,
        "connect/endpoints": connect,
        "connect/exit_on_failure": False,
        "connect/timeout_ms": -1,
        "connect/retry": {"period_init_ms": 100, "period_max_ms": 500, "period_increase_factor": 1.5},
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        "transport/link/tx/lease": TUNING.lease,
        "transport/link/tx/keep_alive": 4,
        "transport/link/rx/max_message_size": 4 * 1024 * 1024,
        "transport/shared_memory/enabled": False,
    }


def _access(team: str, name: str, neighbours: tuple[str, ...]) -> dict[str, Any]:
    """By the name in a certificate: each neighbour may write to this robot under its own name, and that is all."""
    rules, policies, subjects = [], [], []
    for other in neighbours:
        flows = {
            f"from {other}": ("ingress", ["put"], f"{ROOT}/{team}/{other}/{name}"),
            f"{other} listens": ("ingress", ["declare_subscriber"], f"{ROOT}/{team}/*/{other}"),
            f"to {other}": ("egress", ["put"], f"{ROOT}/{team}/{name}/{other}"),
            f"listens to {other}": ("egress", ["declare_subscriber"], f"{ROOT}/{team}/*/{name}"),
        }
        for rule, (flow, messages, key) in flows.items():
            rules.append({"id": rule, "permission": "allow", "flows": [flow], "messages": messages, "key_exprs": [key]})
        subjects.append({"id": other, "cert_common_names": [other]})
        policies.append({"rules": list(flows), "subjects": [other]})
    return {
        "enabled": True,
        "default_permission": "deny",
        "rules": rules,
        "subjects": subjects,
        "policies": policies,
    }
