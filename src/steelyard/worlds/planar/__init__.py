"""Robots push a load on a plane."""

from ._body import PlanarBody as PlanarBody
from ._scenario import PlanarScenario as PlanarScenario
from ._scenario import check_planar as check_planar
from ._shapes import contacts_on as contacts_on
from ._shapes import outline as outline
from ._simulation import PlanarTruth as PlanarTruth
from ._simulation import planar_truth as planar_truth
from ._simulation import simulate_planar as simulate_planar
