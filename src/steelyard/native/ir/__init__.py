"""Stage 2: the intermediate form; a graph of scalars, arrays and loops."""
