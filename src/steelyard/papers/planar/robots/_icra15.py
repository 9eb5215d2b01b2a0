"""The procedure of [icra15]: noisy velocities, least squares, and averages over the team.

Its four steps and where they are: distances (`link_step`); J, with z_ij, z_i, ω by dynamic consensus and the turning
force (`hear_neighbours`, `averages`, `turning_force`, `estimate_inertia`); the observer (`observe_center`); ṙ_c and m
(`estimate_mass`).
"""

import msgspec

from steelyard.papers.planar.robots._agent import PaperAgent
from steelyard.papers.planar.robots._link import LinkGains
from steelyard.papers.planar.robots._procedure import Procedure
from steelyard.team.membership._graph import Graph


def icra15_procedure(graph: Graph, rate: float = 100.0, **changes: object) -> Procedure:
    """The settings that the paper leaves open, as we chose them for 0.2 m/s of noise; any can be changed by name.

    The paper's Figure 2 shows links at up to 10 m/s. So fast it must be: noise turns the direction of a slow link
    about, and the squares of [icra15, Eq. (15)] then come out too short, by half of (σ_link / speed)².
    """
    n = len(graph.names)
    procedure = Procedure(
        n_robots=n,
        rate=rate,
        link=LinkGains(k_f=1.0, min_speed=1.0, fit_speed=8.0, wait=3.0, memory=1.0),
        share=True,
        arbitrary=False,
        kick=5.0,
        push=5.0,
        spin_speed=10.0,
        spin_low=3.0,
        spin_high=7.0,
        observer_spin=3.0,
        damping=1.0,
        k_z=1.0,
        k_f_inertia=0.5,
        k_f_mass=1.0,
        k_e=3.0,
        f_bar=2.0,
        force_direction=(0.0, 1.0),
        centroid_gain=0.1,
        settle=0.5 * n * n,
        pause=1.0,
        distance_tolerance=2.5e-4,
        inertia_tolerance=3e-3,
        center_tolerance=0.01,
        center_window=4.0,
        mass_tolerance=2e-3,
        memory=1.0,
        stage_limit=200.0,
        min_samples=500,
        ballot_rounds=max(16, 2 * n),
    )
    return msgspec.structs.replace(procedure, **changes)


def icra15_team(graph: Graph, rate: float = 100.0, **changes: object) -> list[PaperAgent]:
    """An agent for every robot of a graph."""
    procedure = icra15_procedure(graph, rate, **changes)
    return [PaperAgent(name, graph.neighbours(name), procedure) for name in graph.names]
