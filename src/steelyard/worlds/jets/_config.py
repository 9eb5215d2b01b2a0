"""The configuration that goes with a simulated flight: the robot as its owner knows it, errors not known."""

from steelyard.worlds.jets._scenario import JetsScenario, robot_of


def jets_config(scenario: JetsScenario) -> str:
    """TOML for `identify --as jets`, the URDF's text within it."""
    robot = robot_of(scenario)
    lines = ["[inputs]", 'hold = "step"', "", "[jets]"]
    lines += [f'{foot} = "{sole}"' for foot, sole in robot.feet.items()]
    lines += ["rotor_speed = true", f"urdf = '''\n{robot.urdf}'''"]
    for frame, kind in robot.engines.items():
        lines += ["", "[[jets.engines]]", f'frame = "{frame}"', f'kind = "{kind}"']
        if frame in robot.directions:
            lines.append(f"direction = [{', '.join(f'{x:.9g}' for x in robot.directions[frame])}]")
        if robot.propeller is not None:
            lines += [f"maximum = {robot.propeller.maximum:g}", f"lag = {robot.propeller.lag:g}"]
    return "\n".join(lines) + "\n"
