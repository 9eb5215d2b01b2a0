"""`python -m steelyard.live.trials TEAM.toml SETTINGS.json`: the world process, started by `steelyard team`."""

import os
import sys
import traceback

from steelyard.errors import BadInput


def main() -> int:
    """Plays the world."""
    from steelyard.live.robot._settings import read_settings
    from steelyard.live.trials._world import WorldProcess

    try:
        WorldProcess(read_settings(*sys.argv[1:3])).run()
    except BadInput as error:
        print(f"steelyard: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        traceback.print_exc()
        print(f"steelyard: the world failed with {type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return 1
    return 0


if __name__ == "__main__":
    os._exit(main())  # threads of the middleware would keep a world alive that has ended
