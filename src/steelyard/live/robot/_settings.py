"""A team's settings as one process hands them to another."""

from pathlib import Path

import msgspec

from steelyard.config import Config
from steelyard.errors import BadInput
from steelyard.live.robot._team_file import TeamPlan, plan_team, read_team


def write_settings(config: Config, path: Path) -> None:
    """As JSON."""
    path.write_bytes(msgspec.json.encode(config))


def read_settings(path: str | Path, settings: str | Path | None = None) -> TeamPlan:
    """The plan of a team file, or of the settings that another process has made of it."""
    if settings is None:
        return read_team(path)
    try:
        config = msgspec.json.decode(Path(settings).read_bytes(), type=Config)
    except (OSError, msgspec.DecodeError) as error:
        raise BadInput(f"{settings} holds no settings of a team ({error}); leave --settings out.") from None
    return plan_team(config, Path(path))
