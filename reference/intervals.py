"""Confidence intervals for the mean of bounded samples, from their papers."""

import numpy as np


def hoeffding(x, miss):
    """A lower bound for the mean of samples in [0, 1] (Hoeffding 1963, Theorem 1)."""
    return np.mean(x) - np.sqrt(np.log(1 / miss) / (2 * len(x)))


def empirical_bernstein(x, miss):
    """A lower bound for the same mean (Maurer and Pontil 2009, Theorem 4)."""
    m = len(x)
    if m == 1:
        return -np.inf
    log = np.log(2 / miss)
    return np.mean(x) - np.sqrt(2 * np.var(x, ddof=1) * log / m) - 7 * log / (3 * (m - 1))


def better(x, miss):
    return max(hoeffding(x, miss / 2), empirical_bernstein(x, miss / 2))


def capital(x, miss, means):
    """Capital after every sample of those who start with one and bet that the mean is larger.

    One row per mean.
    """
    m = len(x)
    seen = np.arange(1, m + 1)
    centre = (0.5 + np.cumsum(x)) / (seen + 1)
    variance = (0.25 + np.cumsum((x - centre) ** 2)) / (seen + 1)
    # The bet on a sample knows only the samples before it.
    before = np.concatenate(([0.25], variance[:-1]))
    bets = np.sqrt(2 * np.log(1 / miss) / (m * before))
    mean = np.asarray(means)[:, np.newaxis]
    return np.cumprod(1 + np.minimum(bets, 0.75 / mean) * (x - mean), axis=1)


def betting(x, miss, points=20001):
    """The largest mean on a grid that is ruled out (Waudby-Smith and Ramdas, Theorem 3)."""
    grid = np.linspace(0, 1, points)[1:]
    # Some at a time: every mean has a row of all samples.
    parts = np.array_split(grid, 50)
    ruled_out = np.concatenate([capital(x, miss, part).max(axis=1) >= 1 / miss for part in parts])
    return grid[ruled_out].max(initial=0.0)


METHODS = {
    "hoeffding": hoeffding,
    "empirical-bernstein": empirical_bernstein,
    "better": better,
    "betting": betting,
}


def bounds(x, lo, hi, method, miss):
    """One-sided lower and upper bound for the mean of samples in [lo, hi]."""
    unit = (np.asarray(x) - lo) / (hi - lo)
    lower = max(0.0, METHODS[method](unit, miss))
    upper = 1 - max(0.0, METHODS[method](1 - unit, miss))
    return lo + lower * (hi - lo), lo + upper * (hi - lo)
