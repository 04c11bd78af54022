"""UCI Adult as a federation: three agents by years of schooling."""

import csv

from cases import write

COLUMNS = """age workclass fnlwgt education education-num marital-status occupation relationship race
sex capital-gain capital-loss hours-per-week native-country income""".split()


def schooling(years):
    """Who owns a row. Thirds would split the 10 501 with exactly nine years; these are close."""
    if years <= 9:
        return "school"
    return "some college" if years <= 12 else "degree"


def adult_csv(folder, path, rows=None):
    """Writes the training rows (the first few, if asked) with an owner each; `?` stays a category."""
    with open(folder / "adult" / "adult.data", encoding="utf-8") as file:
        table = [cells for cells in csv.reader(file, skipinitialspace=True) if cells]
    owner = COLUMNS.index("education-num")
    table = [[schooling(int(cells[owner])), *cells] for cells in table[:rows]]
    return write(path, ["agent", *COLUMNS], table)
