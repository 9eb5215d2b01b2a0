"""A stream: the mass of a multirotor in flight, one sample at a time.

A simulated flight stands for the robot: each of its rows is a dictionary of signals with a time, as a driver or a
middleware would hand it over. The stream is the estimator of `identify`, so its last numbers are those of a replay of
the same log with the same noise. Samples may lack channels, come late or come twice.

Usage:
    python examples/02_stream.py
"""

import steelyard as sy

NOISE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}


def main():
    flight = sy.simulate("multirotor", duration=9.0, profile="steps", seed=3)
    stream = sy.stream("multirotor", {"noise": NOISE})
    for k, time in enumerate(flight.time):
        sample = {name: values[k] for name, values in flight.columns.items()}
        step = stream.step({"time": time} | sample)  # truth/… is never read
        for event in step.events:
            print(f"{step.time:5.2f} s  {event.message} (it began at {event.time:.2f} s)")
        mass = step.estimates.mass
        if k % 100 == 0:
            known = mass.reason if mass.value is None else f"{mass.value:.3f} kg, 95 %: ± {1.96 * mass.std:.3f} kg"
            print(f"{step.time:5.2f} s  {step.status}: {known}")
    print(f"truth {flight.columns['truth/mass'][-1]:.3f} kg; samples: {stream.counts}")


if __name__ == "__main__":
    main()
