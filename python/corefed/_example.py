"""Tables to try things with."""

from __future__ import annotations

from corefed import _corefed


def hospitals_csv(seed: int = 8) -> str:
    """Give the table of five generated hospitals, as ``corefed run hospitals`` uses it.

    Three are alike, Dresden's labels are noisy, Evora is small and different.

    Examples
    --------
    >>> hospitals_csv().splitlines()[0]
    'hospital,age,blood_pressure,cholesterol,heart_rate,glucose,sex,disease'
    """
    text: str = _corefed.hospitals_csv(seed)
    return text
