"""A node of ours answers every message as the Python client does, to the last byte."""

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest
from fake_link import FakeLink, node_command, node_key
from flwr.app import Array, ArrayRecord, ConfigRecord, RecordDict
from hospitals import Hospitals, federation, start_arrays

from corefed import flower, hospitals_csv

AGENT = "Evora"
#: Bytes of an array that Flower sends in one object.
CHUNK = 5_242_880


class Running:
    """A fake SuperLink, and a node of ours that serves one hospital to it."""

    def __init__(
        self, folder: Path, hospitals: Hospitals, *more: object, key: Path | None = None
    ) -> None:
        folder.mkdir(exist_ok=True)
        self.link, self.log = FakeLink(), folder / "node.log"
        table, key = hospitals.folder / f"{AGENT}.csv", key or node_key(folder / "key")
        self.command = node_command(self.link.address, table, key, *more)
        self.start()

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)

    def close(self) -> str:
        """Stop it as an operator does; gives what it said."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.link.close()
        said = self.log.read_text()
        assert code == 0, said
        assert "left the SuperLink" in said
        assert self.link.calls[-1] == "deactivate-node"
        return said


@pytest.fixture
def running(tmp_path, hospitals):
    node = Running(tmp_path, hospitals)
    yield node
    node.close()


#: Strategies and what they make clients do.
RULES = {
    "corefed": lambda **k: flower.CoreFed(ceilings=1.0, **k),
    "propfair": lambda **k: flower.PropFair(ceilings=1.0, **k),
    "newton": lambda **k: flower.Newton(ceilings=1.0, **k),
    "declared": lambda **k: flower.CoreFed(ceilings="pooled-constant:1.5", **k),
}


def exchanged(run: Path, hospitals: Hospitals, rule: str) -> list:
    """What one agent was asked in a run with both audits, and what the Python client said."""
    grid = federation(hospitals, epochs=2, rate=0.5)
    strategy = RULES[rule](agents=hospitals.names, learning_rate=0.5, run=run)
    config = ConfigRecord({"local-epochs": 2})
    strategy.start(grid, start_arrays(hospitals), num_rounds=2, timeout=5, train_config=config)
    strategy.audit(timeout=5)
    strategy.audit(exact=True, timeout=5)
    strategy.history.close()
    (own,) = (i for i, n in grid.nodes.items() if n.context.node_config["agent"] == AGENT)
    pairs = zip(grid.sent, grid.answered, strict=True)
    return [(sent, reply) for sent, reply in pairs if sent.metadata.dst_node_id == own]


@pytest.mark.parametrize("rule", RULES)
def test_every_reply_is_that_of_the_python_client(tmp_path, hospitals, running, rule):
    found = exchanged(tmp_path / "run", hospitals, rule)
    kinds = {sent.content["config"].get("corefed-ask") for sent, _ in found}
    assert kinds >= {None, "losses", "terms", "oracle", "attest"}
    assert ("declare" in kinds) == (rule == "declared")
    for sent, expected in found:
        name = running.link.ask(sent.content, sent.metadata.message_type)
        reply = running.link.reply(name)
        assert not reply.has_error(), reply.error
        for record in expected.content:
            assert reply.content[record] == expected.content[record], record
        # Names of objects are hashes of their bytes.
        assert reply.content.object_id == expected.content.object_id
        assert reply.metadata.message_type == sent.metadata.message_type


@pytest.mark.parametrize(
    ("model", "target"), [("softmax", "grade"), ("linear", "cholesterol"), ("poisson", "visits")]
)
def test_other_families_are_laid_out_and_trained_alike(tmp_path, model, target):
    own = other_targets(tmp_path / "rows")
    encoding = own.folder / "encoding.json"
    flower.LinearClient.agree(own.folder / "all.csv", "hospital", target, encoding, model)
    client = flower.LinearClient(own.folder / f"{AGENT}.csv", encoding, model, l2=0.01)
    node = Running(tmp_path / "node", own, "--model", model, "--l2", 0.01, "--batch-size", 7)
    try:
        arrays = moved(client.zero())
        told = {"server-round": 3, "corefed-index": 2, "seed": 8, "lr": 0.01, "local-epochs": 2}
        for rule in ("corefed", "newton"):
            config = ConfigRecord(told | {"corefed-rule": rule})
            content = RecordDict({"arrays": arrays, "config": config})
            reply = node.link.reply(node.link.ask(content))
            assert not reply.has_error(), reply.error
            steps = {"epochs": 2, "batch": 7, "learning_rate": 0.01}
            newton = rule == "newton"
            expected = (
                client.derivatives(arrays) if newton else client.train(arrays, config, **steps)
            )
            assert reply.content["arrays"].object_id == expected.object_id
            assert reply.content["metrics"]["loss-before"] == client.loss(arrays)["loss"]
    finally:
        node.close()


def other_targets(folder: Path) -> Hospitals:
    """The hospitals with a grade and a number of visits, drawn anew for every row."""
    folder.mkdir()
    header, *rows = hospitals_csv().splitlines()
    drawn = np.random.default_rng(5)
    with_both = [f"{row},{drawn.choice(list('abc'))},{drawn.poisson(3)}" for row in rows]
    named = {"all": with_both, AGENT: [row for row in with_both if AGENT in row]}
    for name, lines in named.items():
        (folder / f"{name}.csv").write_text("\n".join([f"{header},grade,visits", *lines, ""]))
    return Hospitals(folder, [AGENT])


def moved(zero: ArrayRecord) -> ArrayRecord:
    drawn = np.random.default_rng(6)
    parts = {name: drawn.normal(size=array.shape) / 9 for name, array in zero.items()}
    # An array by columns has the same numbers in another order.
    parts["weight"] = np.asfortranarray(parts["weight"])
    return ArrayRecord({name: Array(part) for name, part in parts.items()})


def test_a_house_can_change_its_node_and_keep_its_account(tmp_path, hospitals, running):
    """Questions that were asked before are known again, so nothing is counted twice."""
    account = hospitals.folder / f"{AGENT}.corefed/answered.json"
    found = exchanged(tmp_path / "run", hospitals, "declared")
    before = account.read_text()
    for sent, _ in found:
        running.link.reply(running.link.ask(sent.content, sent.metadata.message_type))
    assert sorted(account.read_text().split()) == sorted(before.split())


def test_the_own_model_in_another_ball_is_another_question(hospitals, running):
    def told(radius: float) -> int:
        config = {"corefed-ask": "oracle", "own": True, "server-round": 1, "radius": radius}
        points = ArrayRecord({"points": Array(np.zeros((1, 8)))})
        content = RecordDict({"points": points, "config": ConfigRecord(config)})
        assert "own" in running.link.reply(running.link.ask(content)).content["answers"]
        account = hospitals.folder / f"{AGENT}.corefed/answered.json"
        return sum(json.loads(account.read_text()).values())

    first = told(3.25)
    assert [told(3.25), told(3.5), told(3.75)] == [first, first + 9, first + 18]


def test_what_is_not_served_is_said(running, hospitals):
    zero = start_arrays(hospitals)
    cases = {
        "query": (RecordDict({"arrays": zero}), "type `query`"),
        "train": (RecordDict({"config": ConfigRecord({"corefed-ask": "seal"})}), "`seal`"),
        "evaluate": (RecordDict({"config": ConfigRecord({"x": 1})}), "0 records of arrays"),
    }
    for kind, (content, part) in cases.items():
        reply = running.link.reply(running.link.ask(content, kind))
        assert reply.error.code == 2
        assert part in reply.error.reason
        assert "linear models" in reply.error.reason
    wide = flower.LinearClient.zero(hospitals.client(AGENT))
    wide["weight"] = type(wide["weight"])(np.zeros((1, 99)))
    reply = running.link.reply(running.link.ask(RecordDict({"arrays": wide}), "train"))
    assert "100 parameters, the table needs 8" in reply.error.reason


def test_what_is_larger_than_a_chunk_comes_and_goes_in_pieces(hospitals, running):
    points = np.random.default_rng(4).normal(size=(90_000, 8)) / 9
    places = list(range(len(points)))
    config = {"corefed-ask": "oracle", "server-round": 1, "radius": 3.0, "gradients": places}
    asked = ArrayRecord({"points": Array(points)})
    content = RecordDict({"points": asked, "config": ConfigRecord(config)})
    answers = running.link.reply(running.link.ask(content)).content["answers"]
    slopes = answers["gradients"].numpy()
    assert points.nbytes > CHUNK
    assert slopes.nbytes > CHUNK
    assert running.link.calls.count("pull-object") > 3
    # Pieces are put together in their order: the first point, one of the second piece, the last.
    client = hospitals.client(AGENT)
    own = client.answer(
        {
            **config,
            "round": 1,
            "points": points[[0, 80_000, -1]],
            "hessians": [],
            "gradients": [0, 1, 2],
            "own": False,
            "answered": 0,
            "budget": None,
        }
    )
    assert answers["losses"].numpy()[[0, 80_000, -1]].tolist() == own[0].tolist()
    assert slopes[[0, 80_000, -1]].tolist() == own[1].tolist()
