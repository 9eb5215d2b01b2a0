"""Drawings of the page on teams: the path of a sample through a robot, and what its agent does with it."""

from collections.abc import Iterable

BLUE, GREEN, GREY = "#3b82c4", "#3a9a62", "#808890"
Place = tuple[float, float]


def team_sample(axes) -> None:
    """From a sensor's sample to a published estimate."""
    boxes = {
        "sensors": (0, 2, "sensors", GREY),
        "sensing": (1, 2, "Sensing\ngate, own clock,\nticks of the team", BLUE),
        "agent": (2, 1, "Estimation\nthe agent's step", GREEN),
        "links": (1, 0, "Links\ngate, ledger,\nteam's clock", BLUE),
        "neighbours": (0, 0, "neighbours", GREY),
        "publisher": (3, 2, "Publisher\nestimate, status,\nevent", BLUE),
        "recorder": (3, 0, "Recorder\nbag, checkpoint", BLUE),
        "check": (3, 1, "ConsistencyCheck\nwho is faulty", GREEN),
    }
    arrows = [
        *(("sensors", "sensing"), ("sensing", "agent"), ("neighbours", "links"), ("links", "neighbours")),
        *(("links", "agent"), ("agent", "links"), ("agent", "publisher"), ("agent", "recorder")),
        *(("agent", "check"), ("check", "agent")),
    ]
    _draw(axes, boxes, arrows)


def team_estimators(axes) -> None:
    """What an agent does: above on a plane, below in space."""
    boxes = {
        "row": (0, 1, "own samples:\na row of means", GREY),
        "sums": (1, 1, "TeamSums\nexact sums over\nthe tree", BLUE),
        "fit": (2, 1, "fit_rows\none fit that all share", GREEN),
        "step": (3, 1, "Contributions\njoint step of all\ncontact positions", GREEN),
        "sample": (0, 0, "own samples", GREY),
        "relay": (1, 0, "Relay\neverybody's\nsamples", BLUE),
        "rows": (2, 0, "RowQueue\nwho is in the row", BLUE),
        "filter": (3, 0, "FilterPass\nlinearised filter,\nrelinearised", GREEN),
    }
    arrows = [
        *(("row", "sums"), ("sums", "fit"), ("fit", "step"), ("step", "fit")),
        *(("sample", "relay"), ("relay", "rows"), ("rows", "filter")),
    ]
    _draw(axes, boxes, arrows)


def _draw(axes, boxes: dict[str, tuple[float, float, str, str]], arrows: Iterable[tuple[str, str]]) -> None:
    wide, high, across, up = 2.0, 0.8, 2.4, 1.1
    at = {name: (across * x, up * y) for name, (x, y, _, _) in boxes.items()}
    pairs = set(arrows)
    for one, other in sorted(pairs):
        aside = 0.12 if (other, one) in pairs else 0.0
        start, end = _between(at[one], at[other], wide, high), _between(at[other], at[one], wide, high)
        dx, dy = end[0] - start[0], end[1] - start[1]
        size = max((dx * dx + dy * dy) ** 0.5, 1e-9)
        shift = -aside * dy / size, aside * dx / size
        tip, tail = (end[0] + shift[0], end[1] + shift[1]), (start[0] + shift[0], start[1] + shift[1])
        axes.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": GREY, "shrinkA": 0, "shrinkB": 0})
    for name, (_, _, text, colour) in boxes.items():
        x, y = at[name]
        axes.text(x, y, text, ha="center", va="center", fontsize=7.5)
        left, right, low, top = x - 0.5 * wide, x + 0.5 * wide, y - 0.5 * high, y + 0.5 * high
        axes.plot([left, right, right, left, left], [low, low, top, top, low], color=colour, linewidth=1.4)
    columns, rows = zip(*at.values(), strict=True)
    x, y = 0.55 * wide, 0.6 * high
    axes.set(xlim=(min(columns) - x, max(columns) + x), ylim=(min(rows) - y, max(rows) + y))
    axes.axis("off")


def _between(at: Place, to: Place, wide: float, high: float) -> Place:
    """Where the line from the middle of one box to another leaves the box."""
    dx, dy = to[0] - at[0], to[1] - at[1]
    share = min(0.5 * wide / abs(dx) if dx else 1.0, 0.5 * high / abs(dy) if dy else 1.0)
    return at[0] + share * dx, at[1] + share * dy
