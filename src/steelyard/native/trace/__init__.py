"""Stage 1: a step's jaxpr as one flat list of equations."""
