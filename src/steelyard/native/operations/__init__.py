"""What each JAX primitive becomes in the intermediate form."""
