"""All replies of an agent that noises its own answers: noised, public or refused."""

import itertools

import numpy as np
import pytest
from flwr.app import ConfigRecord, Error, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node, arrays

from corefed import flower
from corefed.flower import protocol
from corefed.flower.own_code import FAILED

CLIP, NOISE, CEILING, LOSS_NOISE = 0.2, 3.0, 2.0, 4.0
SECRET = "patient 4711, HbA1c 9.3"
#: All questions of the protocol, and one that there is not.
ASKED = [
    None,
    *("who", "losses", "terms", "declare", "oracle", "attest", "sum-key", "seal", "open"),
    "x",
]
KINDS = ["train", "evaluate"]
#: What the public knows of an agent.
PUBLIC = {"loss-before", "corefed-epsilon", "corefed-samples"}


def test_the_walk_knows_all_questions():
    names = ["WHO", "LOSSES", "TERMS", "DECLARE", "ORACLE", "ATTEST", "SUM_KEY", "SEAL", "OPEN"]
    assert {getattr(protocol, name) for name in names} == {*ASKED} - {None, "x"}


def full(centre, message, **parts):
    """A reply in which everything that an app can say is there."""
    (t,) = message.content["arrays"].to_numpy_ndarrays()
    content = RecordDict({"arrays": arrays(t=np.asarray(centre, float) - t, **parts)})
    content["metrics"] = MetricRecord(
        {"train_loss": centre[0], "eval_acc": centre[1], "rows": 4711}
    )
    content["notes"] = ConfigRecord({"note": SECRET, "values": list(centre)})
    content["corefed"] = ConfigRecord({"agent": "Aachen", "note": SECRET, "corrects": True})
    return Message(content, reply_to=message)


def more(content, **records):
    """The reply with further records in it."""
    for key, record in records.items():
        content[key] = record
    return content


def changed(centre, message, **records):
    reply = full(centre, message)
    more(reply.content, **records)
    return reply


#: What an app does, by its rows: it works, or fails in one of the ways that there are.
APPS = {
    "works": full,
    "two models": lambda c, m: changed(c, m, another=arrays(t=2 * np.array(c))),
    "not finite": lambda c, m: changed(c, m, arrays=arrays(t=[np.nan, 0.0])),
    "other parts": lambda c, m: full(c, m, **{SECRET: np.ones(2)}),
    "other shape": lambda c, m: changed(c, m, arrays=arrays(t=np.ones(4711))),
    "an error": lambda c, m: Message(Error(7, SECRET), reply_to=m),
    "nothing": lambda c, m: Message(RecordDict(), reply_to=m),
}


def app_of(keep, centre, does, loss, helper=True):
    """An agent whose noise is that of any other: what differs follows from its rows."""
    counter = itertools.count()
    mods = [
        flower.private_answers(
            epsilon=1e6, delta=1e-5, clip=CLIP, noise=NOISE, ceiling=CEILING, loss_noise=LOSS_NOISE,
            keep=keep, draw=lambda size: np.random.default_rng(next(counter)).bytes(size),
        )
    ]  # fmt: skip
    if helper:
        told = {"loss": loss, "num-examples": 10, "accuracy": 0.4711}
        mods.append(flower.report_loss(lambda *_: told, corrects=True))
        mods.append(flower.answer_audits(lambda context: pytest.fail("rows were asked for")))
    app = ClientApp(mods=mods)
    app.train()(lambda message, context: does(centre, message))
    app.evaluate()(lambda message, context: does(centre, message))
    return app


def replies(keep, centre, does=full, loss=0.5, helper=True):
    """What the agent answers to everything that can be asked."""
    net = InProcess([Node(app_of(keep, centre, does, loss, helper), "Aachen")])
    (node,) = net.nodes
    for asked, kind in itertools.product(ASKED, KINDS):
        config = ConfigRecord({"server-round": 1} | ({"corefed-ask": asked} if asked else {}))
        question = RecordDict({"arrays": arrays(t=np.array([0.1, 0.2])), "config": config})
        net.push_messages([Message(question, node, kind)])
    return net.answered


def text_of(reply):
    return repr(reply.error if reply.has_error() else reply.content)


def numbers_of(reply):
    """The model, the numbers and the words of a reply."""
    models = [a.numpy() for r in reply.content.array_records.values() for a in r.values()]
    metrics = {k: v for r in reply.content.metric_records.values() for k, v in r.items()}
    words = {key: dict(record) for key, record in reply.content.config_records.items()}
    return models, metrics, words


@pytest.mark.parametrize("does", list(APPS))
@pytest.mark.parametrize("loss", [0.5, 1e9, float("nan"), float("inf"), -3.0])
def test_of_two_agents_with_the_same_noise_all_replies_differ_by_what_the_noise_hides(
    tmp_path, does, loss
):
    ours = replies(tmp_path / "ours", [9.0, 1.0], APPS[does], loss)
    theirs = replies(tmp_path / "theirs", [-2.0, 5.0], APPS[does], 0.1)
    for one, other in zip(ours, theirs, strict=True):
        for reply in (one, other):
            assert not reply.has_error()
            assert SECRET not in text_of(reply)
            assert "4711" not in text_of(reply)
        (models, metrics, words), (models_2, metrics_2, words_2) = map(numbers_of, (one, other))
        # All but models and losses is the same to the letter.
        assert words == words_2
        assert list(one.content) == list(other.content)
        assert set(metrics) == set(metrics_2)
        assert set(metrics) in (set(), PUBLIC)
        assert all(metrics[key] == metrics_2[key] for key in set(metrics) - {"loss-before"})
        for model, model_2 in zip(models, models_2, strict=True):
            assert np.linalg.norm(model - model_2) <= 2 * CLIP + 1e-12
        if metrics:
            assert abs(metrics["loss-before"] - metrics_2["loss-before"]) <= CEILING + 1e-12
            assert np.isfinite(metrics["loss-before"])


def test_only_training_and_measuring_are_answered_with_numbers(tmp_path):
    questions = itertools.product(ASKED, KINDS)
    for (asked, _), reply in zip(questions, replies(tmp_path, [9.0, 1.0]), strict=True):
        models, metrics, words = numbers_of(reply)
        if asked is None:
            assert (len(models), set(metrics)) == (1, PUBLIC)
        elif asked == "who":
            assert (models, metrics, words) == ([], {}, {"corefed": {"agent": "Aachen"}})
        else:
            assert (models, metrics) == ([], {})
            assert words == {"corefed-refusal": {"corefed-refusal": "it answers in private only"}}


@pytest.mark.parametrize(
    "does", ["two models", "not finite", "other parts", "other shape", "an error"]
)
def test_a_reply_that_cannot_be_noised_is_a_failure_and_no_more(tmp_path, does):
    first, second, *_ = replies(tmp_path, [9.0, 1.0], APPS[does])
    for reply in (first, second):
        assert numbers_of(reply) == ([], {}, {"corefed-refusal": {"corefed-refusal": FAILED}})


def test_without_report_loss_an_app_that_answers_itself_tells_its_name_only(tmp_path):
    answered = replies(tmp_path, [9.0, 1.0], helper=False)
    for (asked, _), reply in zip(itertools.product(ASKED, KINDS), answered, strict=True):
        models, metrics, words = numbers_of(reply)
        assert (models, metrics) == ([], {})
        assert SECRET not in text_of(reply)
        if asked == "who":
            assert words == {"corefed": {"agent": "Aachen"}}


def test_a_damaged_account_is_not_quoted(tmp_path):
    tmp_path.joinpath("account.json").write_text(SECRET)
    for reply in replies(tmp_path, [9.0, 1.0]):
        assert SECRET not in text_of(reply)
        assert str(tmp_path) not in text_of(reply)
