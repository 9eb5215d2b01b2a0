"""Who is in the team, and who hears whom?"""

from ._graph import Graph as Graph
from ._graph import metropolis_weight as metropolis_weight
