"""What did the papers claim? Each reproduced: its scenario, its method, its figures, and ours beside them."""
