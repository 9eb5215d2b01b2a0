"""`identify --as rigid-body`: mass, centre of mass and inertia of a load that one robot alone holds."""
