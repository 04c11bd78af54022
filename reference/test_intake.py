"""Tables with holes, dates and words of their own: the second checker reads them as the first does."""

import json
import random

import pytest

from binary import corefed
from second_checker import judge


def table(path):
    """Four stations with a few of everything."""
    rng = random.Random(5)
    lines = ["station,when,x,wind,y"]
    for row in range(48):
        day, hour = 1 + rng.randrange(28), rng.randrange(24)
        x = rng.gauss(0, 1)
        cells = [
            f"s{row % 4}",
            f"2024-{1 + row % 3:02}-{day:02} {hour:02}:30" if row % 11 else "NA",
            "NA" if row % 7 == 3 else "-9999" if row % 13 == 5 else f"{x:.2f}",
            rng.choice(["n", "s", "null"]),
            "." if row % 17 == 9 else f"{100 + 3 * x + row % 4 + rng.gauss(0, 0.3):.2f}",
        ]
        lines.append(",".join(cells))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


FLAGS = {
    "auto": [],
    "drop": ["--missing", "drop"],
    "parts": ["--column", "when=parts", "--l2", 0.01],
    "text": ["--missing", "drop", "--column", "wind=text", "--column", "when=date"],
}


@pytest.mark.parametrize("name", FLAGS)
def test_two_readers_agree_on_what_the_cells_mean(tmp_path, name):
    data, path = table(tmp_path / "t.csv"), tmp_path / "c.json"
    columns = ["--agent", "station", "--target", "y", "--model", "linear", "--na", "-9999"]
    answer = corefed("solve", data, *columns, *FLAGS[name], "--certificate", path)
    assert answer.code == 0, answer.err
    text = path.read_text(encoding="utf-8")
    found = judge(text, data)
    assert found.accepted, found.reason
    encoding = json.loads(text)["subject"]["encoding"]
    assert encoding["intake"]["na"] == ["-9999"], encoding["intake"]
    assert encoding["target_scale"]["scale"] > 0
    # What is left out must be said: without it the rows are others.
    for field in encoding["intake"]:
        forged = json.loads(text)
        del forged["subject"]["encoding"]["intake"][field]
        assert not judge(json.dumps(forged), data).accepted, field
