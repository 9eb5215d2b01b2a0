"""Who is in the team, who is linked to whom, and who leads?"""

from ._election import Election as Election
from ._election import Offer as Offer
from ._graph import Graph as Graph
from ._graph import metropolis_weight as metropolis_weight
