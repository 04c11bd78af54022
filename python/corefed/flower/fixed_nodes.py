"""Grids whose nodes are all there from the beginning: nobody is waited for."""

from __future__ import annotations

from flwr.serverapp import Grid


def has_all_nodes(grid: Grid) -> bool:
    """Whether no node can come later, as in Flower's simulation.

    A grid of a program's own says so by an attribute `has_all_nodes`.
    """
    if getattr(grid, "has_all_nodes", False):
        return True
    try:
        from flwr.superlink.grid import InMemoryGrid
    except ImportError:
        # Inside of Flower, where names change: then newcomers are waited for.
        return False
    return isinstance(grid, InMemoryGrid)
