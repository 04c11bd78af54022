"""The families of convex models, as the engine's own table lists them."""

from __future__ import annotations

from dataclasses import dataclass

from corefed import _corefed
from corefed._errors import InputError


@dataclass(frozen=True)
class Family:
    """What is known about a family."""

    name: str
    #: In words.
    title: str
    #: Whether targets are classes rather than numbers.
    is_class: bool
    #: How many classes there may be; ``None`` for any number.
    most_classes: int | None
    #: Whether there is one block of parameters per class rather than one in all.
    block_per_class: bool
    #: Whether rows may have an exposure.
    takes_exposure: bool
    #: The regression of scikit-learn whose coefficients mean this family, where its name says so.
    scikit_learn: str | None

    def blocks(self, classes: int) -> int:
        """Give the number of blocks of parameters."""
        return classes if self.block_per_class else 1


FAMILIES = {row["name"]: Family(**row) for row in _corefed.families()}


def family_named(name: str, field: str = "family") -> Family:
    """Give the family of this name."""
    if name not in FAMILIES:
        *first, last = (f"`{known}`" for known in FAMILIES)
        raise InputError(
            f"there is no model `{name}`; expected {', '.join(first)} or {last}", field=field
        )
    return FAMILIES[name]


def family_of_classes(count: int) -> Family:
    """Give the smallest family of classifiers for this number of classes."""
    suits = (
        family
        for family in FAMILIES.values()
        if family.is_class and (family.most_classes is None or count <= family.most_classes)
    )
    return next(suits)


def family_of_regression(estimator: str) -> Family:
    """Give the family of a regression of scikit-learn: the first of numbers unless named."""
    numbers = [family for family in FAMILIES.values() if not family.is_class]
    return next((one for one in numbers if one.scikit_learn == estimator), numbers[0])
