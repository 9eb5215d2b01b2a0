"""A stream beside ROS 2: callbacks in, the mass out.

`Weigher` is what a node needs: one call a message. With ROS 2 sourced and `--ros`, it subscribes to /imu, /odom and
/thrust and publishes /mass (a part that the tests do not run). Without it, a simulated flight makes the
same calls. Topics arrive in any order; late samples are put at their own time.

Usage:
    python examples/12_beside_ros2.py
"""

import sys

import steelyard as sy

NOISE = {"position": 0.01, "attitude": 0.01, "linear_velocity": 0.03, "rates": 0.01, "thrust": 0.3}


class Weigher:
    """The mass of one multirotor from its topics."""

    def __init__(self):
        self.stream = sy.stream("multirotor", {"noise": NOISE})
        self.latest = None

    def take(self, time, **signals):
        """Hands over what one message holds; the names are those of docs/LOGS.md."""
        self.latest = self.stream.step({"time": time, **signals})
        return self.latest.estimates.mass


def with_ros():
    import rclpy
    from geometry_msgs.msg import PointStamped
    from nav_msgs.msg import Odometry
    from rclpy.node import Node
    from sensor_msgs.msg import Imu
    from std_msgs.msg import Float64

    rclpy.init()
    node, weigher = Node("weigher"), Weigher()
    out = node.create_publisher(Float64, "mass", 10)

    def publish(mass):
        if mass.value is not None:  # unless it is known there is no number
            out.publish(Float64(data=float(mass.value)))

    def seconds(message):
        return message.header.stamp.sec + 1e-9 * message.header.stamp.nanosec

    def on_imu(message):
        q, w = message.orientation, message.angular_velocity
        publish(weigher.take(seconds(message), attitude=[q.w, q.x, q.y, q.z], rates=[w.x, w.y, w.z]))

    def on_odometry(message):
        p, v = message.pose.pose.position, message.twist.twist.linear  # velocity in world axes
        publish(weigher.take(seconds(message), position=[p.x, p.y, p.z], linear_velocity=[v.x, v.y, v.z]))

    node.create_subscription(Imu, "imu", on_imu, 100)
    node.create_subscription(Odometry, "odom", on_odometry, 100)
    node.create_subscription(PointStamped, "thrust", lambda m: publish(weigher.take(seconds(m), thrust=m.point.z)), 100)
    rclpy.spin(node)


def without_ros():
    flight = sy.simulate("multirotor", duration=4.0, profile="constant", seed=5)
    weigher, column = Weigher(), flight.columns
    for k, time in enumerate(flight.time):
        attitude = [column[f"r1/attitude/{axis}"][k] for axis in "wxyz"]
        rates = [column[f"r1/rates/{axis}"][k] for axis in "xyz"]
        weigher.take(time, attitude=attitude, rates=rates, thrust=column["r1/thrust"][k])
        position = [column[f"r1/position/{axis}"][k] for axis in "xyz"]
        velocity = [column[f"r1/linear_velocity/{axis}"][k] for axis in "xyz"]
        mass = weigher.take(time, position=position, linear_velocity=velocity)  # a second message of the same time
        if k % 100 == 0:
            print(f"{time:4.1f} s  {mass.reason if mass.value is None else f'{mass.value:.3f} kg'}")
    print(f"truth {flight.truth('mass')[0][-1]:.3f} kg; {weigher.stream.counts}")


if __name__ == "__main__":
    with_ros() if "--ros" in sys.argv else without_ros()
