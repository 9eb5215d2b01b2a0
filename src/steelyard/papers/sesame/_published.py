"""The values of [sesame, Tables 1-3]: training time in s, RMSE in percent, norm of the output weights."""

from typing import NamedTuple


class Published(NamedTuple):
    """A machine as the paper reports it."""

    seconds: float
    error: float
    """RMSE, %. The paper does not state of which rows; most likely of those it trained on."""
    norm: float


NODES: dict[int, tuple[Published, Published]] = {
    50: (Published(2.9783, 5.5817, 4.5661e4), Published(3.0594, 5.6073, 6.4126e3)),
    100: (Published(2.8903, 3.4204, 1.9392e4), Published(2.9203, 3.6257, 2.3420e4)),
    300: (Published(3.1154, 2.0744, 2.2691e5), Published(3.1647, 2.3105, 2.6717e4)),
    500: (Published(3.4709, 1.8922, 1.0978e6), Published(3.4387, 2.2101, 2.6809e4)),
    1000: (Published(5.2031, 2.0035, 8.9884e7), Published(5.1501, 2.0948, 2.3237e4)),
}
"""ELM and RELM by the number of nodes; regularisation 1e-7, five repetitions, [sesame, Table 1]."""

REGULARISATION: dict[float, Published] = {
    1e-7: Published(3.8071, 2.1634, 2.3441e4),
    1e-5: Published(4.1647, 2.5802, 5.8101e3),
    1e-3: Published(4.1501, 4.4006, 1.0650e3),
    0.1: Published(4.0520, 6.8179, 143.5273),
    0.3: Published(3.9585, 7.4042, 100.8383),
    0.5: Published(3.8273, 7.8349, 82.0590),
    0.8: Published(4.0812, 8.4250, 64.8544),
    1.0: Published(3.8565, 8.5060, 59.8437),
}
"""RELM of 500 nodes, five repetitions, [sesame, Table 2]."""

SHARE: dict[int, Published] = {
    1: Published(0.6754, 2.1162, 1.3895e4),
    3: Published(2.3554, 2.1351, 2.1501e4),
    5: Published(3.5306, 2.2240, 2.6017e4),
    7: Published(5.2201, 2.1613, 2.7567e4),
    10: Published(7.6370, 2.2374, 3.5137e4),
}
"""RELM of 500 nodes by repetitions learnt, of 50; regularisation 1e-5, [sesame, Table 3]."""
