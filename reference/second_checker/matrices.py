"""Positive definite matrices of fractions."""

from fractions import Fraction


def solve_positive_definite(matrix, right):
    """`matrix^-1 right` by exact elimination, or None where the matrix is not positive definite.

    Without exchanges of rows, the pivots are the `D` of `LDL'`: all of them are positive if and only
    if the symmetric matrix is positive definite.
    """
    size = len(matrix)
    rows = [[Fraction(a) for a in row] + [Fraction(b)] for row, b in zip(matrix, right, strict=True)]
    for k in range(size):
        if rows[k][k] <= 0:
            return None
        for below in rows[k + 1 :]:
            factor = below[k] / rows[k][k]
            for j in range(k, size + 1):
                below[j] -= factor * rows[k][j]
    solution = [Fraction(0)] * size
    for k in reversed(range(size)):
        known = sum((rows[k][j] * solution[j] for j in range(k + 1, size)), Fraction(0))
        solution[k] = (rows[k][size] - known) / rows[k][k]
    return solution


def add_to_diagonal(matrix, value):
    return [[a + (value if i == j else 0) for j, a in enumerate(row)] for i, row in enumerate(matrix)]
