"""Log-welfare of logistic agents in NumPy, written to be fast: the opponent of the benchmark.

Labels are folded into the rows, so that an evaluation is one product for the margins, one
exponential and one logarithm per row, and one product for the gradient. Buffers are reused.
"""

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize


class LogWelfare:
    """`-sum_i w_i log(M_i - L_i)` of stacked rows, dense or CSR."""

    def __init__(self, federation, ceilings, weights, matrix=np.asarray):
        signs = [2 * y - 1 for y in federation.targets]
        signed = [s[:, None] * x for s, x in zip(signs, federation.inputs, strict=True)]
        self.rows = matrix(np.vstack(signed))
        self.columns = self.rows.T if isinstance(self.rows, np.ndarray) else self.rows.T.tocsr()
        self.sizes = np.array([len(s) for s in signs])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        self.ceilings, self.weights = np.array(ceilings), np.array(weights)
        self.l2, self.dim = federation.l2, self.rows.shape[1]
        self.exp, self.loss, self.slope = (np.empty(self.rows.shape[0]) for _ in range(3))
        self.evaluations = 0

    def utilities(self, theta):
        """Utilities; leaves `exp(-|margin|)` and the margins behind for the slopes."""
        self.evaluations += 1
        self.margin = self.rows @ theta
        exp, loss = self.exp, self.loss
        np.abs(self.margin, out=exp)
        np.negative(exp, out=exp)
        np.exp(exp, out=exp)
        np.add(exp, 1.0, out=loss)
        np.log(loss, out=loss)
        loss -= np.minimum(self.margin, 0.0, out=self.slope)
        mean = np.add.reduceat(loss, self.starts) / self.sizes
        return self.ceilings - mean - self.l2 / 2 * theta @ theta

    def sigmoids(self):
        """`1/(1 + exp(margin))` without overflow."""
        np.divide(np.where(self.margin >= 0, self.exp, 1.0), 1.0 + self.exp, out=self.slope)
        return self.slope

    def __call__(self, theta):
        """Value and gradient."""
        utilities = self.utilities(theta)
        if utilities.min() <= 0:
            return 1e300, np.zeros(self.dim)
        pull = self.weights / utilities
        slope = self.sigmoids()
        slope *= np.repeat(-pull / self.sizes, self.sizes)
        gradient = self.columns @ slope + pull.sum() * self.l2 * theta
        return -self.weights @ np.log(utilities), gradient

    def newton_system(self, theta):
        """Value, gradient and Hessian; dense rows only."""
        utilities = self.utilities(theta)
        pull, sigmoid = self.weights / utilities, self.sigmoids()
        own = [
            -self.rows[a : a + n].T @ sigmoid[a : a + n] / n + self.l2 * theta
            for a, n in zip(self.starts, self.sizes, strict=True)
        ]
        scale = np.repeat(pull / self.sizes, self.sizes) * sigmoid * (1 - sigmoid)
        hessian = self.columns @ (scale[:, None] * self.rows) + pull.sum() * self.l2 * np.eye(self.dim)
        for p, u, g in zip(pull, utilities, own, strict=True):
            hessian += p / u * np.outer(g, g)
        return -self.weights @ np.log(utilities), np.dot(pull, own), hessian


def lbfgs(objective, memory, tolerance):
    """SciPy's L-BFGS-B to a gradient whose largest entry is `tolerance`."""
    options = {"gtol": tolerance, "ftol": 0, "maxiter": 20000, "maxfun": 40000, "maxcor": memory}
    start = np.zeros(objective.dim)
    return minimize(objective, start, jac=True, method="L-BFGS-B", options=options).x


def newton(objective, tolerance):
    """Damped Newton in NumPy, for an interior optimum: what the method alone is worth."""
    theta = np.zeros(objective.dim)
    for _ in range(50):
        value, gradient, hessian = objective.newton_system(theta)
        if np.abs(gradient).max() <= tolerance:
            break
        step = cho_solve(cho_factor(hessian), -gradient)
        length = 1.0
        while objective(theta + length * step)[0] > value + 1e-4 * length * gradient @ step + 1e-15:
            length /= 2
        theta = theta + length * step
    return theta
