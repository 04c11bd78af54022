"""A real SuperLink with five SuperNodes: hospitals train, answer and sign, and anybody verifies."""

import json

import pytest
from deployment import Deployment
from exactly import corefed, pooled
from hospitals import EXAMPLE, Hospitals, module

#: A loaded machine answers late; nobody is missing before this.
PATIENCE = 600


@pytest.fixture(scope="module")
def five(tmp_path_factory) -> Hospitals:
    folder = tmp_path_factory.mktemp("five")
    return Hospitals(folder, module(EXAMPLE / "prepare.py").prepare(folder))


def test_hospitals_train_answer_and_sign_and_no_row_leaves_them(tmp_path, five):
    run = tmp_path / "run"
    with Deployment(tmp_path / "deployment", forked=True) as running:
        for name in five.names:
            running.node(name, f'agent="{name}" data="{five.folder}/{name}.csv"')
        settings = {"agents": ",".join(five.names), "rounds": 2, "rule": "newton", "audit": False}
        process = running.submit(EXAMPLE, run=run, exact=True, timeout=PATIENCE, **settings)
        assert process.wait(PATIENCE) == 0, running.logs()
    assert running.alive() == []
    audit = json.loads((run / "audit.json").read_text())
    told = json.loads((run / "answered.json").read_text())
    # Four rounds of questions, beside one that asked for terms and one for signatures.
    assert (told["rounds"], told["training_rounds"]) == (4, 0)
    assert [agent["cells"] for agent in told["agents"]] == [2940, 2800, 2660, 2100, 420]
    assert all(sum(agent["answered"]) > 0 for agent in told["agents"])
    assert not any({"left_out", "unsigned"} & agent.keys() for agent in told["agents"])
    code, said = corefed("verify", run / "certificate.json")
    assert (code, said.split(":")[0]) == (0, "attested"), said
    assert "signed by Aachen, Bergen, Coimbra, Dresden, Evora" in said
    expected = pooled(run, five.folder / "all.csv", 1.0)
    assert audit["verdict"] == expected["verdict"] == "stable"
    assert audit["everybody"]["lo"] == pytest.approx(expected["everybody"]["lo"], rel=2e-6)
    assert audit["kappa"]["lo"] <= expected["kappa"]["hi"]
    assert expected["kappa"]["lo"] <= audit["kappa"]["hi"]
    page = (run / "report.html").read_text()
    assert "Numbers answered by every agent in the exact audit" in page
