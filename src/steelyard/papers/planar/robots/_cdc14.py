"""The procedure of [cdc14]: without noise, each robot trusting what it computes itself.

Its seven steps and where they are: z_ij (`link_step`), z_i (`hear_neighbours`), ω (`link_step`), J
(`estimate_inertia`), r_i − r_c (`observe_center`, `arm_from_center`), ṙ_c and m (`estimate_mass`).
"""

import msgspec

from steelyard.papers.planar.robots._agent import PaperAgent
from steelyard.papers.planar.robots._link import LinkGains
from steelyard.papers.planar.robots._procedure import Procedure
from steelyard.team.membership._graph import Graph


def cdc14_procedure(graph: Graph, rate: float = 100.0, **changes: object) -> Procedure:
    """The settings that the paper leaves open, as we chose them; any of them can be changed by name."""
    n = len(graph.names)
    procedure = Procedure(
        n_robots=n,
        rate=rate,
        link=LinkGains(k_f=5.0, min_speed=0.2, fit_speed=0.5, wait=0.2, memory=0.95),
        share=False,
        arbitrary=False,
        kick=2.0,
        push=2.0,
        spin_speed=4.0,
        spin_low=1.0,
        spin_high=2.5,
        observer_spin=1.5,
        damping=1.0,
        k_z=1.0,  # [cdc14, Eq. (14)]
        k_f_inertia=5.0,
        k_f_mass=5.0,
        k_e=1.5,  # about the spin: then the observer's error fades fastest, at f̄² / (4 ω)
        f_bar=1.0,  # [cdc14, Sec. VI]
        force_direction=(0.0, 1.0),
        centroid_gain=1.0,
        settle=0.05 * n * n,
        pause=0.2,
        distance_tolerance=1e-5,
        inertia_tolerance=3e-5,
        center_tolerance=3e-5,
        center_window=2.0,
        mass_tolerance=1e-4,
        memory=0.95,
        stage_limit=200.0,
        ballot_rounds=max(16, 2 * n),
    )
    return msgspec.structs.replace(procedure, **changes)


def cdc14_team(graph: Graph, rate: float = 100.0, **changes: object) -> list[PaperAgent]:
    """An agent for every robot of a graph."""
    procedure = cdc14_procedure(graph, rate, **changes)
    return [PaperAgent(name, graph.neighbours(name), procedure) for name in graph.names]
