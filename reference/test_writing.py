"""Tables with other separators and decimals, packed or told: both checkers read what the certificate says."""

import gzip
import hashlib
import json
import random

import pytest

from binary import corefed
from first_checker import FirstChecker, is_built
from second_checker import judge
from second_checker.writing import form, with_point

MARKS = {",": "comma", "|": "pipe"}
FORMS = {
    "semicolons": (";", ".", []),
    "tabs": ("\t", ".", []),
    "decimal commas": (";", ",", []),
    "told": ("|", ",", ["--separator", "|", "--decimal", "comma"]),
    "told what is": (",", ".", ["--separator", "comma", "--decimal", "point"]),
}


def table(path, separator, mark, packed):
    """Two shops whose prices have thousands where decimals are commas."""
    rng = random.Random(11)
    lines = [["shop", "size", "kind", "price"]]
    for row in range(40):
        size = rng.gauss(0, 1)
        price = f"{1500 + 40 * size + 30 * (row % 2) + rng.gauss(0, 3):.2f}".replace(".", mark)
        if mark == "," and row % 3:
            price = f"{price[0]}.{price[1:]}"
        lines.append([f"s{row % 2}", f"{size:.3f}".replace(".", mark), rng.choice("ab"), price])
    text = "\n".join(separator.join(line) for line in lines) + "\n"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    return path


@pytest.mark.skipif(not is_built(), reason="corefed-verify is not built")
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FORMS)
def test_both_checkers_read_the_same_cells(tmp_path, name, packed):
    separator, mark, told = FORMS[name]
    data, path = table(tmp_path / "t.csv", separator, mark, packed), tmp_path / "c.json"
    plain = table(tmp_path / "plain.csv", ",", ".", False)
    columns = ["--agent", "shop", "--target", "price", "--model", "linear"]
    answer = corefed("solve", data, *columns, *told, "--certificate", path)
    assert answer.code == 0, answer.err
    document = json.loads(path.read_text(encoding="utf-8"))
    as_plain = corefed("solve", plain, *columns, "--certificate", tmp_path / "plain.json")
    assert as_plain.code == 0, as_plain.err
    usual = json.loads((tmp_path / "plain.json").read_text(encoding="utf-8"))
    # The same numbers, however they are written.
    assert document["subject"]["parameters"] == usual["subject"]["parameters"]
    forged = []
    if told:
        written = document["subject"]["encoding"]["intake"]["written"]
        assert written == {"separator": MARKS[separator], "decimal": "comma" if mark == "," else "point"}
        for change in ({"separator": "tab"}, {"separator": "space"}, {"decimal": "none"}, {"quote": "'"}):
            other = json.loads(json.dumps(document))
            other["subject"]["encoding"]["intake"]["written"] |= change
            forged.append(json.dumps(other))
    with FirstChecker(data) as first:
        for text, expected in [(json.dumps(document), True), *((text, False) for text in forged)]:
            assert first.judge(text)[0] == expected, first.judge(text)
            found = judge(text, data)
            assert found.accepted == expected, found.reason


@pytest.mark.skipif(not is_built(), reason="corefed-verify is not built")
def test_tables_of_utilities_may_be_packed_and_have_semicolons(tmp_path):
    data, path = tmp_path / "u.csv.gz", tmp_path / "c.json"
    data.write_bytes(gzip.compress(b"model;a;b\nnow;1,5;2,25\nnew;1,25;1.000,5\n"))
    answer = corefed("audit", data, "--incumbent", "now", "--certificate", path)
    assert answer.code == 1, answer.err
    text = path.read_text(encoding="utf-8").replace("\n", " ")
    found = judge(text, data)
    assert found.accepted, found.reason
    with FirstChecker(data) as first:
        assert first.judge(text)[0]


def test_forms_are_those_of_the_page():
    for text, expected in {
        "a,b\n1,2\n": (",", False),
        "a;b\n1,5;2\n3;4,25\n": (";", True),
        "a;b\nx, y;1.5\n": (";", False),
        "a,b;c;d\n1,2;3;4\n": (",", False),
        "a\n1\n": (",", False),
        "": (",", False),
        "a\tb;c\n1\t2;3\n": ("\t", False),
    }.items():
        assert form(text.encode(), {}) == expected, text
    for cell, expected in {
        "1,5": "1.5",
        "-0,25": "-0.25",
        "1.234,5": "1234.5",
        "1.234.567": "1234567",
        "12": "12",
        "1.5": "1.5",
        "1,2,3": "1,2,3",
        ",5": ",5",
        "12345.678": "12345.678",
    }.items():
        assert with_point(cell) == expected


def test_what_cannot_be_unpacked_is_refused(tmp_path):
    data, path = table(tmp_path / "t.csv", ",", ".", True), tmp_path / "c.json"
    columns = ["--agent", "shop", "--target", "price", "--model", "linear"]
    assert corefed("solve", data, *columns, "--certificate", path).code == 0
    document = path.read_text(encoding="utf-8")
    stated = json.loads(document)["digests"]["data"]
    for raw in (data.read_bytes()[:-6], b"\x28\xb5\x2f\xfd" + data.read_bytes()):
        data.write_bytes(raw)
        forged = document.replace(stated, hashlib.sha256(raw).hexdigest())
        found = judge(forged, data)
        assert not found.accepted and ("gzip" in found.reason or "zstd" in found.reason), found.reason
