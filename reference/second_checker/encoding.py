"""Rows as the doubles that the certificate's own encoding makes of them."""

from dataclasses import dataclass
from fractions import Fraction

from .cells import LARGEST, is_missing, quantity
from .intake import take
from .refusal import require

RANK = {"numeric": 0, "level": 1, "intercept": 2}
CLASSES = {"linear": lambda k: k == 0, "logistic": lambda k: k == 2, "softmax": lambda k: k >= 2, "poisson": lambda k: k == 0}


@dataclass(frozen=True)
class Rows:
    """What an agent owns: inputs and targets as fractions; classes as their places."""

    name: str
    inputs: list
    targets: list
    exposures: list


def encode(cells, encoding, family):
    """The agents in the order of their first rows."""
    check_encoding(encoding, family)
    cells = take(cells, encoding, family)
    inputs = list(zip(*(encode_feature(cells, f) for f in encoding["features"]), strict=True))
    check_levels(cells, encoding)
    targets = encode_target(cells.column(encoding["target_column"]), encoding["classes"], family)
    targets = scale_target(targets, encoding["target_scale"], family)
    exposures = encode_exposure(cells, encoding["exposure_column"])
    owners = cells.column(encoding["agent_column"])
    require("" not in owners, "a row names no agent")
    agents = []
    for name in dict.fromkeys(owners):
        own = [k for k, owner in enumerate(owners) if owner == name]
        parts = ([values[k] for k in own] for values in (inputs, targets, exposures))
        agents.append(Rows(name, *parts))
    return agents


def feature_name(feature):
    if feature["kind"] == "level":
        return f"{feature['column']}={feature['level']}"
    return feature.get("column", "(intercept)")


def check_encoding(encoding, family):
    """Each column has one use, numbers come before levels, levels of a column stand together."""
    features, classes = encoding["features"], encoding["classes"]
    require(features, "the encoding has no features")
    reserved = (encoding["agent_column"], encoding["target_column"], encoding["exposure_column"])
    require(reserved[0] != reserved[1], "one column is both agent and target")
    require(reserved[2] not in reserved[:2], "the exposure is the agent or the target")
    require(reserved[2] is None or family == "poisson", f"a {family} model takes no exposures")
    names = [feature_name(feature) for feature in features]
    require(len(set(names)) == len(names), "two features have one name")
    ranks = [RANK[feature["kind"]] for feature in features]
    require(ranks == sorted(ranks), "features are not numbers, then levels, then the intercept")
    used = []
    for feature in features:
        if feature["kind"] == "intercept":
            continue
        column = feature["column"]
        require(column not in reserved, f"`{column}` is agent, target or exposure, and a feature")
        same_group = feature["kind"] == "level" and used and used[-1] == (column, "level")
        if not same_group:
            require(column not in [name for name, _ in used], f"`{column}` is encoded twice")
            used.append((column, feature["kind"]))
        if feature["kind"] == "numeric":
            require(feature["scale"] > 0, f"the scale of `{column}` is not positive")
            missing = feature["missing"]
            require(missing is None or abs(missing) <= LARGEST, f"`{column}` is filled beyond 1e50")
    require(CLASSES[family](len(classes)), f"{len(classes)} classes do not fit a {family} model")
    values = class_values(classes)
    require(len(set(classes)) == len(classes), "two classes are the same")
    require(values is None or len(set(values)) == len(values), "two classes are the same number")


def encode_feature(cells, feature):
    if feature["kind"] == "intercept":
        return [Fraction(1)] * len(cells.rows)
    column = cells.column(feature["column"])
    if feature["kind"] == "level":
        return [Fraction(cell == feature["level"]) for cell in column]
    return [standardised(cell, feature) for cell in column]


def standardised(cell, feature):
    """`(value - mean) / scale` in doubles, which are the data from here on."""
    value = feature["missing"] if is_missing(cell) else quantity(cell)
    require(value is not None, f"column `{feature['column']}`: `{cell}` is not a number")
    encoded = (value - feature["mean"]) / feature["scale"]
    require(abs(encoded) <= LARGEST, f"column `{feature['column']}`: `{cell}` is too far away")
    return Fraction(encoded)


def check_levels(cells, encoding):
    """A text that has no level would silently count as none of them."""
    levels = [f for f in encoding["features"] if f["kind"] == "level"]
    for name in {f["column"] for f in levels}:
        known = {f["level"] for f in levels if f["column"] == name}
        unseen = set(cells.column(name)) - known
        require(not unseen, f"column `{name}` has texts without a level: {sorted(unseen)[:3]}")


def class_values(classes):
    """The classes as numbers, if all of them are."""
    values = [quantity(name) for name in classes]
    return None if None in values else values


def encode_target(column, classes, family):
    if family in ("linear", "poisson"):
        values = [quantity(cell) for cell in column]
        require(None not in values, "a target is not a number")
        require(family == "linear" or min(values) >= 0, "a count is negative")
        return [Fraction(value) for value in values]
    values = class_values(classes)
    return [place(cell, classes, values) for cell in column]


def scale_target(targets, scale, family):
    """`(target - mean) / scale` in doubles, where the certificate states both."""
    if scale is None:
        return targets
    require(family == "linear" and scale["scale"] > 0, "the target cannot be scaled")
    return [Fraction((float(value) - scale["mean"]) / scale["scale"]) for value in targets]


def encode_exposure(cells, name):
    """For how long each row was observed; one where no column says so."""
    if name is None:
        return [Fraction(1)] * len(cells.rows)
    values = [quantity(cell) for cell in cells.column(name)]
    require(None not in values, "an exposure is not a number")
    require(all(1 / LARGEST <= value <= LARGEST for value in values), "an exposure is not positive")
    return [Fraction(value) for value in values]


def place(cell, classes, values):
    """A class by its text; `1.0` is class `1` where all classes are numbers."""
    require(cell not in ("", "?"), "a target is missing")
    if cell in classes:
        return classes.index(cell)
    value = quantity(cell)
    require(values is not None and value in values, f"`{cell}` is none of the classes")
    return values.index(value)
