"""The peers of `rounds_mnist.py` and `overhead_flower.py`, one module each."""
