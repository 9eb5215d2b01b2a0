"""What would help where something is not known: one sentence a problem and quantity."""

_LOAD = {
    "mass": "Tilt the load about two axes, or accelerate it more; if the force sensor has no offset, say so: "
    "[wrist] tared = true.",
    "com": "Tilt the load about two axes.",
    "inertia": "Turn the load about all three axes, fast enough that the torque of its angular acceleration exceeds "
    "the noise.",
    "delay": "A delay shows in faster motion.",
    "bias": "A bias shows in a longer log with more directions.",
}
_STEPS = {
    "rigid-body": _LOAD,
    "spatial-load": _LOAD | {"mass": "Accelerate the load more, or longer."},
    "planar-load": {
        "mass": "Push harder or longer.",
        "com": "Let the load turn while it is pushed.",
        "inertia": "Let the load turn while it is pushed.",
    },
    "multirotor": {
        "mass": "Fly longer, and away from the ground.",
        "drag": "Drag shows in faster flight.",
        "motor_lag": "The lag shows in quick changes of the thrust.",
    },
    "jets": {
        "mass": "Record some seconds in which the feet carry the robot.",
        "bias": "It shows while this foot is off the ground: record a moment in the air.",
    },
}


def next_step(problem: str, quantity: str) -> str:
    """What to do to learn a quantity that is not known; empty where there is no advice.

    >>> next_step("planar-load", "mass"), next_step("cart", "mass")
    ('Push harder or longer.', '')
    """
    return _STEPS.get(problem, {}).get(quantity.partition("/")[0], "")
