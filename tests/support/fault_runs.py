"""Long trials in virtual time, for `in_earnest`."""

from commands import NOISE, TEAM
from teams import PLANAR, SPATIAL, VirtualTeam, configured

from steelyard.config import CutLinks, WrongClock, WrongMotion

TRUE_MASS, PUSHED_MASS = 2.0, 5.0


def calm(seconds: float) -> dict:
    team = VirtualTeam(configured(SPATIAL, duration=seconds))
    team.advance(2.5, samples=False)
    team.advance(seconds)
    team.advance(0.6, samples=False)  # robots think in turn: the last ones finish
    return _told(team)


def straggling(seconds: float) -> dict:
    """Sensors begin one after the other, so that at first each robot counts from a start of its own."""
    team = VirtualTeam(configured(SPATIAL, duration=seconds))
    team.advance(2.5, samples=False)
    team.blind = {"r1": 5, "r2": 1, "r4": 1, "r5": 4}
    team.advance(seconds)
    team.advance(0.6, samples=False)
    joined = {event.robot for _, event in team.events if event.kind == "joined"}
    return {**_told(team), "joined": joined, "time": {n: team.nodes[n].known["mass"].time for n in team.names}}


def bad_radio(seconds: float) -> dict:
    """Loss, jitter, copies, wrong clocks, and a ring that is cut for a second."""
    cut = CutLinks(3.0, 4.0, (("r1", "r2"),))
    clocks = {"r2": WrongClock(0.1, 2e-5), "r4": WrongClock(-0.05)}
    faults = {"loss": 0.2, "jitter": 0.02, "double": 0.05, "clocks": clocks, "cut": (cut,)}
    team = VirtualTeam(configured(SPATIAL, duration=seconds, **faults))
    team.advance(4.0, samples=False)
    team.advance(seconds)
    return _told(team)


def killed(before: float, away: float, after: float, cut: float = 0.0) -> dict:
    """r3 is killed and comes back from a checkpoint of half a second before; then the ring is cut into halves.

    All that over a bad radio.
    """
    noisy = SPATIAL.replace("= 0.2", "= 0.4")
    end = before + away + after
    halves = CutLinks(end, end + cut, (("r1", "r2"), ("r4", "r5")))
    faults = {"loss": 0.2, "jitter": 0.02, "cut": (halves,) if cut else ()}
    team = VirtualTeam(configured(noisy, duration=end + 2 * cut + 2.0, **faults))
    team.advance(2.5, samples=False)
    team.advance(before - 0.5)
    checkpoint = team.nodes["r3"].checkpoint(team.clock("r3"))
    team.advance(0.5)
    team.dead.add("r3")
    team.advance(away)
    meanwhile = {name: team.nodes[name].known["mass"].value.item() for name in team.names if name != "r3"}
    team.replace("r3")
    team.nodes["r3"].resume(checkpoint)
    resumed = team.nodes["r3"].tick >= 0
    team.advance(after)
    back = _told(team)
    team.advance(2 * cut)
    return {**_told(team), "back": back, "resumed": resumed, "meanwhile": meanwhile}


def mourned(before: float, seed: int, who: str = "r3", away: float = 1.0, after: float = 4.0) -> dict:
    """One of three robots is killed, and another comes in its place."""
    names, links = '["r1", "r2", "r3"]', '[["r1", "r2"], ["r2", "r3"], ["r3", "r1"]]'
    text = TEAM.format(robots=names, links=links, noise=NOISE, rate=25.0, port=21000, local=21003, more="")
    duration = before + away + after + 2.0
    team = VirtualTeam(configured(f"{text}\n[world]\nseed = {seed}", duration=duration))
    team.advance(2.5, samples=False)
    team.advance(before)
    team.dead.add(who)
    team.advance(away)
    team.replace(who)
    team.advance(after)
    return {**_told(team), "doubts": team.doubts}


def replaced(before: float, away: float, after: float, loss: float = 0.0) -> dict:
    """A robot that pushes is killed, and another process takes its place that knows nothing."""
    faults = {"loss": loss, "jitter": 0.02} if loss else {}
    team = VirtualTeam(configured(PLANAR, duration=before + away + after + 2.0, **faults))
    team.advance(2.5, samples=False)
    team.advance(before)
    team.dead.add("r2")
    team.advance(away)
    team.replace("r2")
    team.advance(after)
    errors = {name: team.nodes[name].known["mass"].value.item() / PUSHED_MASS - 1.0 for name in team.names}
    times = {name: team.nodes[name].known["mass"].time for name in team.names}
    return {**_told(team), "errors": errors, "time": times, "doubts": team.doubts}


def cut_after_a_death(seed: int) -> dict:
    """Five robots push over a bad radio; one is killed, another takes its place, and then a link of the ring is cut."""
    faults = {"loss": 0.2, "jitter": 0.02, "cut": (CutLinks(17.0, 20.0, (("r1", "r2"),)),)}
    five = 'robots = ["r1", "r2", "r3", "r4", "r5"]', '["r3", "r4"], ["r4", "r5"], ["r5", "r1"]]'
    text = PLANAR.replace('robots = ["r1", "r2", "r3"]', five[0]).replace('["r3", "r1"]]', five[1])
    team = VirtualTeam(configured(f"{text}seed = {seed}\n", duration=29.0, **faults))
    team.advance(2.5, samples=False)
    team.advance(6.0)
    team.dead.add("r3")
    team.advance(5.0)
    team.replace("r3")
    team.advance(16.0)
    team.advance(2.5, samples=False)
    mass = [node.known["mass"] for node in team.nodes.values()]
    off = [float((one.value - PUSHED_MASS) / one.std) for one in mass]
    return {**_told(team), "off": off, "starts": {node.state.window.start for node in team.nodes.values()}}


def liar(start: float, seconds: float) -> dict:
    team = VirtualTeam(configured(SPATIAL, duration=seconds, lie=(WrongMotion("r2", start),)))
    team.advance(2.5, samples=False)
    begin = team.time
    team.advance(seconds)
    named = [(time - begin, event.robot, event.about) for time, event in team.events if event.kind == "liar"]
    return {**_told(team), "named": named}


def _told(team: VirtualTeam) -> dict:
    lost = {name: node.gate.ledger.lost for name, node in team.nodes.items()}
    changes = [event.robot for _, event in team.events if event.kind == "change"]
    liars = [event.about for _, event in team.events if event.kind == "liar"]
    last = {name: node.known.get("mass") for name, node in team.nodes.items()}
    mass = {name: None if one is None or one.value is None else float(one.value) for name, one in last.items()}
    std = {name: None if one is None or one.std is None else float(one.std) for name, one in last.items()}
    return {"mass": mass, "std": std, "lost": lost, "changes": changes, "liars": liars}
