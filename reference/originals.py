"""Real certificates on small federations: what a forger starts from."""

import json
from fractions import Fraction

from binary import corefed, solve
from by_hand import above, agent, around, claim, document, logistic_pair, parabola_file, parabolas
from by_hand import predictor, softmax_pair
from cases import federation, write

WAIVED = [flag for check in ("one-sample", "one-class", "constant", "wide") for flag in ("--allow", check)]

# family, rule, l2, flags
MODELS = {
    "linear stable": ("linear", "core", 0.0, ["--ceiling", "initial:1.2", "--radius", 2]),
    "linear blocked": ("linear", "egalitarian", 0.01, ["--ceiling", "initial:1.5", "--radius", 2]),
    "linear frank-wolfe": ("linear", "core", 0.01, ["--ceiling", "worst", "--radius", 2]),
    "logistic stable": ("logistic", "core", 0.01, ["--ceiling", "initial:1.5", "--radius", 3]),
    "logistic blocked": ("logistic", "egalitarian", 0.0, ["--ceiling", "0.75", "--radius", 5]),
    "logistic frank-wolfe": ("logistic", "core", 0.0, ["--ceiling", "worst", "--radius", 2]),
    "softmax stable": ("softmax", "core", 0.01, ["--ceiling", "initial:1.5", "--radius", 2]),
    "softmax blocked": ("softmax", "egalitarian", 0.0, ["--ceiling", "1.2", "--radius", 5]),
}

TABLES = {
    "table stable": [["now", "0.7", "0.9", "0.9"], ["then", "2.1", "0.1", "0.1"]],
    "table blocked": [["now", "1", "1", "1"], ["then", "1.5", "1.625", "0.1"], ["or", "1", "1", "1"]],
    "table improvable": [["now", "1", "1", "0.3"], ["then", "1.1", "1", "0.3"]],
}


def issued(folder):
    """Data files and certificates of the binary, by name."""
    found = {}
    for seed, (name, (family, rule, l2, flags)) in enumerate(MODELS.items()):
        case = federation(folder, family, seed, [4, 6, 5], raw=True, l2=l2)
        path = folder / f"{family}-{seed}.json"
        solve(case, *flags, *WAIVED, "--certificate", path, rule=rule)
        found[name] = (case.path, json.loads(path.read_text()))
    for name, rows in TABLES.items():
        data = write(folder / f"{name}.csv", ["model", "a", "b", "c"], rows)
        path = folder / f"{name}.json"
        corefed("audit", data, "--incumbent", "now", "--certificate", path)
        found[name] = (data, json.loads(path.read_text()))
    return found


def by_hand(folder):
    """Data files and certificates that need no binary, by name."""
    places = {name: folder / name for name in BY_HAND}
    for place in places.values():
        place.mkdir(exist_ok=True)
    return {name: make(places[name]) for name, make in BY_HAND.items()}


def frank_wolfe(folder):
    """Parabolas under ceilings that no loss on `|t| <= 2` exceeds, with room for rounding."""
    path = parabola_file(folder)
    losses = [{"bound": 5.01, "multiplier": 1.25}, {"bound": 9.01, "multiplier": 1.5}]
    evidence = {"kind": "frank-wolfe", "gap": 1e-8, "worst_losses": losses}
    says = claim("stable", {"lo": 0.0, "hi": 1 + 1e-7}, {"lo": 1.0, "hi": 1 + 1e-7})
    agents = [agent(name, 9.25, 9.0, 1e-12) for name in "ab"]
    return path, document(path, says, agents, predictor("linear", [0.5], 2.0), evidence)


def tie(folder):
    """A table in which somebody breaks even alone."""
    rows = TABLES["table stable"]
    path = write(folder / "table.csv", ["model", "a", "b", "c"], rows)
    utilities = zip("abc", map(float, rows[0][1:]), strict=True)
    agents = [agent(name, None, u, 1e-15, samples=0) for name, u in utilities]
    says = claim("stable", {"lo": 1.0, "hi": 1.0}, around(Fraction(1, 9)), 0.0)
    subject = {"kind": "table", "incumbent": "now"}
    return path, document(path, says, agents, subject, {"kind": "listed"})


def headroom(folder):
    """The same parabolas by their ceilings alone."""
    path, certificate = frank_wolfe(folder)
    most = above(Fraction(9.25) / 9 + Fraction(1, 2**40))
    certificate["claim"] = claim("undecided", {"lo": 0.0, "hi": most / 2}, {"lo": 1.0, "hi": most})
    certificate["evidence"] = {"kind": "headroom"}
    return path, certificate


BY_HAND = {
    "stable": lambda folder: parabolas(folder, 0.6, "stable"),
    "blocked": lambda folder: parabolas(folder, 0.4, "blocked"),
    "stable, curved": lambda folder: parabolas(folder, 0.6, "stable", sphere=0.0),
    "blocked, curved": lambda folder: parabolas(folder, 0.4, "blocked", sphere=0.125),
    "logistic": logistic_pair,
    "softmax": softmax_pair,
    "frank-wolfe": frank_wolfe,
    "headroom": headroom,
    "table": tie,
}
