"""Makes the figures of the concept pages: `python docs/_site/figures.py FOLDER`.

Each is computed by the package or by the equation that its page has, with fixed seeds, in a few seconds. Lines have a
colour that can be read on light and on dark pages; there is no background.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import drawings
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter, NullLocator

import steelyard as sy

BLUE, ORANGE, GREY, GREEN = "#3b82c4", "#d9822b", "#808890", "#3a9a62"
STYLE = {
    "text.color": GREY, "axes.labelcolor": GREY, "axes.edgecolor": GREY, "xtick.color": GREY, "ytick.color": GREY,
    "axes.spines.top": False, "axes.spines.right": False, "font.size": 10, "svg.hashsalt": "steelyard",
    "legend.frameon": False, "figure.constrained_layout.use": True, "axes.grid": True, "grid.alpha": 0.25,
}  # fmt: skip
NOISE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}
CALIBRATED = {"wrist": {"tared": True, "calibrated": True}}
LENGTHS = (2.0, 3.0, 5.0, 8.0)


def interval(axes) -> None:
    """Stated 95 % intervals of the mass over 40 simulated logs of a wrist, and the truth."""
    for seed in range(40):
        log = sy.simulate("wrist", duration=3.0, seed=seed)
        mass = sy.identify(log, "rigid-body", CALIBRATED)["r1"].mass
        if mass.interval is not None:
            colour = BLUE if mass.interval[0] <= 1.0 <= mass.interval[1] else ORANGE
            axes.plot([seed, seed], mass.interval, color=colour)
            axes.plot(seed, mass.value, ".", color=colour)
    axes.axhline(1.0, color=GREY, linestyle="--")
    axes.set(xlabel="seed of the log", ylabel="mass, kg")


def identifiability(axes) -> None:
    """Stated standard deviation of three quantities over the length of a log of a moving wrist."""
    stated: dict[str, list[float]] = {"mass": [], "com": [], "inertia": []}
    for length in LENGTHS:
        log = sy.simulate("wrist", duration=length, motion="gentle", seed=3)
        answer = sy.identify(log, "rigid-body", CALIBRATED)["r1"]
        truth = {"mass": 1.0, "com": 0.1, "inertia": 0.0045}
        for name, values in stated.items():
            std = answer[name].std
            values.append(np.nan if std is None else 100 * float(np.max(std)) / truth[name])
    for (name, values), colour in zip(stated.items(), (BLUE, GREEN, ORANGE), strict=True):
        axes.loglog(LENGTHS, values, "o-", color=colour, label={"com": "centre of mass"}.get(name, name))
    axes.set(xlabel="length of the log, s", ylabel="stated deviation, % of the truth")
    _plain_ticks(axes, LENGTHS)
    axes.legend()


def change(axes) -> None:
    """A jump of the mass as a quiet filter and as the adaptive one follow it."""
    log = sy.simulate("multirotor", duration=6.0, profile="step-down", seed=4)
    for method, colour in (("ekf", ORANGE), ("adaptive", BLUE)):
        course = sy.identify(log, "multirotor", {"noise": NOISE}, method=method).series["r1"]["mass"]
        time, value, half = course.time, course.value, 1.96 * course.std
        axes.plot(time, value, color=colour, label=method)
        axes.fill_between(time, value - half, value + half, color=colour, alpha=0.25, linewidth=0)
    axes.plot(log.time, log.columns["truth/mass"], "--", color=GREY, label="truth")
    axes.set(xlabel="time, s", ylabel="mass, kg", ylim=(0.6, 1.1))
    axes.legend()


def coloured(axes) -> None:
    """True error of a mean over correlated noise, and what two assumptions state."""
    rng, dt, tau = np.random.default_rng(0), 0.05, 0.5
    lengths = np.array([2.0, 4.0, 8.0, 16.0, 32.0])
    keep = np.exp(-dt / tau)
    rows = int(lengths[-1] / dt)
    error = np.zeros((400, rows))
    error[:, 0] = rng.standard_normal(400)
    for k in range(1, rows):
        error[:, k] = keep * error[:, k - 1] + np.sqrt(1 - keep**2) * rng.standard_normal(400)
    counts = (lengths / dt).astype(int)
    axes.loglog(lengths, [error[:, :n].mean(axis=1).std() for n in counts], "o", color=GREY, label="true error")
    axes.loglog(lengths, 1 / np.sqrt(counts), color=ORANGE, label="stated, taken for white")
    axes.loglog(lengths, [_deviation_of_mean(n, keep) for n in counts], color=BLUE, label="stated, coloured")
    axes.set(xlabel="length of the record, s", ylabel="deviation of the mean")
    _plain_ticks(axes, lengths)
    axes.legend()


def momentum(axes) -> None:
    """Error of a mass from differentiated velocities and from their integral form, over the rate of the log."""
    rng, mass, noise = np.random.default_rng(1), 2.0, 0.01
    rates = np.array([20, 50, 100, 200, 500])
    errors: dict[str, list[float]] = {"differentiated": [], "integrated": []}
    for rate in rates:
        time = np.arange(0.0, 5.0, 1.0 / rate)
        force = 4.0 * np.sin(3.0 * time)
        velocity = 4.0 / (3.0 * mass) * (1.0 - np.cos(3.0 * time))
        impulse = 4.0 / 3.0 * (1.0 - np.cos(3.0 * time))
        found: dict[str, list[float]] = {name: [] for name in errors}
        for _ in range(200):
            read = velocity + noise * rng.standard_normal(len(time))
            slope = np.gradient(read, time)
            found["differentiated"].append(force @ force / (force @ slope))
            found["integrated"].append(impulse @ impulse / (impulse @ read))
        for name, values in found.items():
            errors[name].append(100 * float(np.sqrt(np.mean((np.array(values) / mass - 1.0) ** 2))))
    for (name, values), colour in zip(errors.items(), (ORANGE, BLUE), strict=True):
        axes.loglog(rates, values, "o-", color=colour, label=name)
    axes.set(xlabel="rate of the log, Hz", ylabel="RMS error of the mass, %")
    _plain_ticks(axes, rates)
    axes.legend()


def consensus(axes) -> None:
    """Five robots on a line average their values by flows, while a fifth of the messages is lost."""
    from steelyard.team.consensus._flow import FlowMessage, next_flow

    rng, own = np.random.default_rng(2), np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    links = [(i, j) for i in range(5) for j in (i - 1, i + 1) if 0 <= j < 5]
    degree = [sum(link[0] == i for link in links) for i in range(5)]
    flows = {link: np.zeros(1) for link in links}
    courses = []
    for _ in range(60):
        values = [own[i] - sum(float(flows[link][0]) for link in links if link[0] == i) for i in range(5)]
        courses.append(values)
        sent = {
            (i, j): FlowMessage(degree[i], (values[i],), tuple(flows[i, j])) for i, j in links if rng.random() > 0.2
        }
        for i, j in links:
            if (j, i) in sent:
                flows[i, j] = next_flow(
                    flows[i, j], np.array([values[i]]), sent[j, i], degree[i], np.zeros(1), np.ones(1)
                )
    for course in np.array(courses).T:
        axes.plot(course, color=BLUE, alpha=0.8)
    axes.axhline(own.mean(), color=GREY, linestyle="--", label="mean of the robots' own values")
    axes.set(xlabel="round of messages", ylabel="value at each robot")
    axes.legend()


FIGURES: dict[str, Callable[..., None]] = {
    "interval": interval,
    "identifiability": identifiability,
    "change": change,
    "coloured": coloured,
    "momentum": momentum,
    "consensus": consensus,
    "team-sample": drawings.team_sample,
    "team-estimators": drawings.team_estimators,
}
"""By file name."""


def make(folder: Path) -> list[Path]:
    """Draws every figure into a folder; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    with plt.rc_context(STYLE):
        for name, draw in FIGURES.items():
            figure, axes = plt.subplots(figsize=(7.0, 3.2))
            draw(axes)
            made.append(folder / f"{name}.svg")
            figure.savefig(made[-1], transparent=True, metadata={"Date": None})
            plt.close(figure)
    return made


def _plain_ticks(axes, places) -> None:
    axes.set_xticks(places, [f"{place:g}" for place in places])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.yaxis.set_minor_formatter(NullFormatter())


def _deviation_of_mean(rows: int, keep: float) -> float:
    """Of the mean of a stationary first-order sequence of unit variance, with this correlation from row to row."""
    lags = np.arange(1, rows)
    return float(np.sqrt((1.0 + 2.0 * np.sum((1.0 - lags / rows) * keep**lags)) / rows))


if __name__ == "__main__":
    for path in make(Path(sys.argv[1])):
        print(path)
