"""What did the papers claim? Each reproduced: its scenario, its method, its published values, and ours beside them."""
