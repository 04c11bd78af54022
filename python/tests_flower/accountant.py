"""Epsilons of another accountant, Google's dp-accounting, for the tests to compare with.

pip install dp-accounting==0.6.0
python python/tests_flower/accountant.py > python/tests_flower/accountant.json
"""

import json
import sys
from importlib.metadata import version

from dp_accounting import GaussianDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant

#: Noise, and how often.
RELEASES = [(1.0, 1), (2.0, 10), (5.0, 50), (0.8, 3), (20.0, 400), (0.5, 1)]
DELTAS = [1e-3, 1e-5, 1e-8]


def main() -> None:
    found = []
    for noise, rounds in RELEASES:
        event = SelfComposedDpEvent(GaussianDpEvent(noise), rounds)
        exact = PLDAccountant(value_discretization_interval=1e-4).compose(event)
        renyi = RdpAccountant().compose(event)
        for delta in DELTAS:
            row = {"noise": noise, "rounds": rounds, "delta": delta}
            row |= {"exact": exact.get_epsilon(delta), "renyi": renyi.get_epsilon(delta)}
            found.append(row)
    told = {"dp-accounting": version("dp-accounting"), "epsilons": found}
    sys.stdout.write(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    main()
