"""Forging as a search: documents that come ever closer to a proof of something false.

Both checkers judge every candidate. They must agree, and what they accept must be true.

    python reference/forging.py --forgeries 10000 --seed 1
"""

import argparse
import copy
import json
import math
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import mutations
from by_hand import signed
from first_checker import FirstChecker, is_built
from originals import by_hand, issued
from second_checker import judge
from second_checker.claim import verdict_of
from truth import falsehood, truth

# A checker in doubles may refuse what is proven by less than this, relative to both sides.
ROUNDING = 1e-12
# Numbers beyond these cancel among each other: then no digits are left in doubles.
MODERATE = (1e-6, 1e6)
CLIMB = 25


@dataclass
class Tally:
    """What came of the forgeries."""

    judged: int = 0
    accepted: int = 0
    refused: int = 0
    rounding: int = 0
    disagreements: list = field(default_factory=list)
    false: list = field(default_factory=list)

    def __str__(self):
        return (
            f"{self.judged} documents: {self.accepted} accepted, {self.refused} refused, "
            f"{self.rounding} refused for rounding by the first checker alone, "
            f"{len(self.disagreements)} disagreements, {len(self.false)} accepted and false"
        )


class Search:
    """Candidates from one real certificate."""

    def __init__(self, path, original, seed, tally, first=None):
        self.path, self.original, self.tally, self.first = path, original, tally, first
        self.rng = np.random.default_rng(seed)
        self.truth = truth(original, path)

    def judge(self, certificate):
        """Both judgements of one candidate, counted."""
        document = json.dumps(certificate)
        second = judge(document, self.path)
        self.tally.judged += 1
        if second.accepted:
            self.tally.accepted += 1
            if why := falsehood(certificate, self.path):
                self.tally.false.append((why, document))
        else:
            self.tally.refused += 1
        if self.first:
            self.compare(certificate, document, second)
        return second

    def compare(self, certificate, document, second):
        verified, reason = self.first.judge(document)
        if verified == second.accepted:
            return
        if second.accepted and (second.room < ROUNDING or is_extreme(certificate)):
            self.tally.rounding += 1
        else:
            both = f"first: {'verified' if verified else reason}; second: {second.reason}"
            self.tally.disagreements.append((both, document))

    def run(self, forgeries):
        """Draws until the tally has grown by this many."""
        end = self.tally.judged + forgeries
        while self.tally.judged < end:
            draw = self.rng.random()
            if draw < 0.5:
                self.judge(self.mutate(self.original, mutations.ALL))
            elif draw < 0.9:
                self.climb(end)
            else:
                self.edge()

    def mutate(self, certificate, choices):
        """One to three changes; usually signed again, and with the verdict that the ends allow."""
        forged = copy.deepcopy(certificate)
        # A forger does not mind infinities; the checkers do.
        with np.errstate(all="ignore"):
            for _ in range(self.rng.integers(1, 4)):
                mutations.pick(self.rng, choices)(self.rng, forged)
        if self.rng.random() < 0.8:
            settle(forged)
        return signed(forged, self.path) if self.rng.random() < 0.95 else forged

    def lie(self):
        """The original with an end on the wrong side of the truth."""
        forged = copy.deepcopy(self.original)
        name = mutations.pick(self.rng, ["kappa", "everybody"])
        true, size = getattr(self.truth, name), 10 ** self.rng.uniform(-14, -0.3)
        if not 0 < true < math.inf:
            return forged
        if self.rng.random() < 0.7:
            hi = true * (1 - size)
            forged["claim"][name] = {"lo": min(float(forged["claim"][name]["lo"]), hi), "hi": hi}
        else:
            lo = true * (1 + size)
            hi = forged["claim"][name]["hi"]
            forged["claim"][name] = {"lo": lo, "hi": hi if float(hi) >= lo else lo}
        settle(forged)
        return forged

    def climb(self, end):
        """Changes the proof of a lie, and keeps what fails later, or by less."""
        state = self.lie()
        score = merit(self.judge(state))
        for _ in range(CLIMB):
            if self.tally.judged >= end:
                return
            candidate = self.mutate(state, mutations.PROOF)
            found = merit(self.judge(candidate))
            if found >= score:
                state, score = candidate, found

    def edge(self):
        """Both documents next to the point where a number stops being proven."""
        steps, direction = mutations.pick(self.rng, edges(self.original))
        good, bad = self.original, at(self.original, steps, direction * 1e3)
        if judge(json.dumps(bad), self.path).accepted:
            return
        while (between := middle(good, bad, steps)) is not None:
            if judge(json.dumps(between), self.path).accepted:
                good = between
            else:
                bad = between
        for candidate in (good, bad):
            self.judge(candidate)


def settle(certificate):
    """The verdict that the intervals allow, if they are intervals."""
    claim = certificate["claim"]
    ends = {name: {k: float(v) for k, v in claim[name].items()} for name in ("kappa", "everybody")}
    if certificate["subject"]["kind"] != "table":
        claim["verdict"] = verdict_of({**ends, "tolerance": claim["tolerance"]})


def merit(verdict):
    """Accepted is best; then what fails late, and by little."""
    return (verdict.accepted, verdict.proven, -verdict.miss)


def is_extreme(certificate):
    """Whether the proof mixes sizes that doubles cannot."""
    proofs = mutations.proofs(certificate)
    subject, agents = certificate["subject"], certificate["agents"]
    numbers = [subject.get("radius", 1.0), *(abs(a["utility"]) for a in agents)]
    numbers += [agent["weight"] for agent in agents]
    for proof in proofs:
        numbers += [*map(abs, proof["point"]), proof.get("sphere") or 1.0]
    return any(x and not MODERATE[0] <= x <= MODERATE[1] for x in numbers)


def edges(certificate):
    """Numbers that are proven on one side only, and the side where they are not."""
    found = [(("claim", name, "hi"), -1) for name in ("kappa", "everybody")]
    found += [(("claim", name, "lo"), 1) for name in ("kappa", "everybody")]
    found += [(("agents", k, "margin"), -1) for k in range(len(certificate["agents"]))]
    evidence = certificate["evidence"]
    for name in ("conflicts", "worst_losses"):
        found += [(("evidence", name, k, "bound"), -1) for k in range(len(evidence.get(name, [])))]
    found += [(("evidence", "gap"), -1)] if "gap" in evidence else []
    for name in ("witness", "improvement"):
        gains = (certificate[name] or {}).get("gains", [])
        found += [((name, "gains", k), 1) for k in range(len(gains))]
    return [(steps, side) for steps, side in found if isinstance(value_at(certificate, steps), float)]


def value_at(certificate, steps):
    for step in steps:
        certificate = certificate[step]
    return certificate


def at(certificate, steps, value):
    """A copy with another number."""
    copied = copy.deepcopy(certificate)
    value_at(copied, steps[:-1])[steps[-1]] = value
    settle(copied)
    return copied


def middle(good, bad, steps):
    """A document between two, or None where no double is."""
    ends = value_at(good, steps), value_at(bad, steps)
    half = ends[0] / 2 + ends[1] / 2
    return None if half in ends else at(good, steps, half)


def forge(originals, forgeries, seed, tally):
    """Spreads the forgeries over the originals."""
    for k, (path, original) in enumerate(originals):
        share = forgeries * (k + 1) // len(originals) - forgeries * k // len(originals)
        with FirstChecker(path) if is_built() else nullcontext() as first:
            Search(path, original, [seed, k], tally, first).run(share)
    return tally


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--forgeries", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only-by-hand", action="store_true", help="issue nothing with the binary")
    chosen = parser.parse_args()
    if not is_built():
        print("the first checker is not built: only the second one judges", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        originals = list(by_hand(Path(folder)).values())
        if not chosen.only_by_hand:
            originals += issued(Path(folder)).values()
        tally = forge(originals, chosen.forgeries, chosen.seed, Tally())
    print(tally)
    for why, document in tally.disagreements + tally.false:
        print(f"{why}\n{document}")
    sys.exit(bool(tally.disagreements or tally.false))


if __name__ == "__main__":
    main()
