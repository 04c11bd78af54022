"""Write the generated hospitals as they would be: a table each, and an encoding that all agreed on."""

import csv
import sys
from pathlib import Path

from corefed import hospitals_csv
from corefed.flower import LinearClient


def prepare(folder: Path, seed: int = 8, only: tuple[str, ...] = ()) -> list[str]:
    """One CSV per hospital, `encoding.json`, and `all.csv` for comparison; gives the names."""
    folder.mkdir(parents=True, exist_ok=True)
    header, *rows = csv.reader(hospitals_csv(seed).splitlines())
    at = header.index("hospital")
    names = [name for name in sorted({row[at] for row in rows}) if name in only or not only]
    for name in names:
        write(folder / f"{name}.csv", header, [row for row in rows if row[at] == name])
    everything = folder / "all.csv"
    write(everything, header, [row for row in rows if row[at] in names])
    LinearClient.agree(everything, "hospital", "disease", folder / "encoding.json")
    return names


def write(path: Path, header: list[str], rows: list[list[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "data")
    print(f"{', '.join(prepare(target))}: written to {target}")
