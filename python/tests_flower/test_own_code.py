"""What an agent's program says when it fails stays with the agent, where answers are hidden."""

import contextlib
import logging

import pytest
from flwr.app import Error, Message
from flwr.clientapp import ClientApp
from inprocess import InProcess, Node
from summed import CENTRES, grid, loss_at, train

from corefed import CohortError, InputError, flower
from corefed.flower.own_code import FAILED

LOSS = loss_at(CENTRES["Aachen"])
SECRET = "patient 4711, HbA1c 9.3"


class OwnError(InputError):
    """An error of this package that a loss function may raise, and that quotes a row."""


def failing(error):
    def fail(*_):
        raise error(SECRET)

    return fail


def app_of(mods, answer=None):
    """An app that does as it is asked: it sends back what it got."""
    app = ClientApp(mods=mods)

    def same(message, context):
        return Message(message.content, reply_to=message)

    app.train()(answer or same)
    app.evaluate()(answer or same)
    return app


def by_loss(keep, mod, error):
    return app_of([mod(failing(error), keep)])


def by_training(keep, mod, error):
    return app_of([mod(LOSS, keep)], failing(error))


def by_reply(keep, mod, _):
    return app_of([mod(LOSS, keep)], lambda m, _: Message(Error(7, SECRET), reply_to=m))


def by_another_mod(keep, mod, error):
    return app_of([mod(LOSS, keep), failing(error)])


def by_name(keep, mod, error):
    return app_of([mod(LOSS, keep, agent=failing(error))])


def sealed(loss, keep, **more):
    return flower.secure_sums(loss, keep=keep, **more)


def budget(keep):
    told = {"epsilon": 1e6, "delta": 1e-5, "clip": 1.0, "noise": 0.1, "loss_noise": 0.1}
    return flower.private_answers(**told, ceiling=5.0, keep=keep)


def noised(loss, keep, **more):
    """`private_answers` before `report_loss`, as one mod."""
    outer, inner = budget(keep), flower.report_loss(loss, **more)

    def mod(message, context, call_next):
        return outer(message, context, lambda m, c: inner(m, c, call_next))

    return mod


def told(net):
    """Everything that the server got, as text."""
    return "".join(repr(m.error if m.has_error() else m.content) for m in net.answered)


@pytest.mark.parametrize("error", [ValueError, KeyError, OwnError])
@pytest.mark.parametrize("where", [by_loss, by_training, by_reply, by_another_mod, by_name])
@pytest.mark.parametrize("mod", [sealed, noised])
def test_the_server_gets_no_word_of_an_app_that_fails(tmp_path, where, mod, error, caplog):
    if where is by_name and error is OwnError:
        pytest.skip("our own errors about names are about the node's configuration")
    app = where(tmp_path, mod, error)
    net = InProcess([Node(app, "Aachen")])
    secure = mod is sealed
    if secure:
        net = grid(tmp_path)
        next(iter(net.nodes.values())).app = app
    strategy = flower.CoreFed(ceilings=5.0, secure=secure, min_agents=1, min_replies=1, timeout=1)
    logging.getLogger("flwr").addHandler(caplog.handler)
    try:
        # Without the others there is nobody left.
        with contextlib.nullcontext() if secure else pytest.raises(CohortError):
            train(strategy, net, rounds=1)
    finally:
        logging.getLogger("flwr").removeHandler(caplog.handler)
    assert SECRET not in told(net)
    assert "4711" not in told(net)
    assert FAILED in told(net)
    assert SECRET in caplog.text


def test_gradients_that_fail_are_not_quoted_either(tmp_path):
    net = grid(tmp_path)
    first = next(iter(net.nodes.values()))
    first.app = app_of([flower.secure_sums(LOSS, keep=tmp_path, gradient=failing(OSError))])
    strategy = flower.CoreFed(ceilings=5.0, secure=True)
    train(strategy, net, rounds=1)
    with pytest.raises(CohortError, match=FAILED):
        strategy.bound(2.0)
    assert "4711" not in told(net)


def test_a_damaged_folder_of_the_agents_own_is_not_quoted(tmp_path):
    net = grid(tmp_path)
    (tmp_path / "Aachen").write_text(SECRET)
    with pytest.raises(CohortError, match=FAILED):
        train(flower.CoreFed(ceilings=5.0, secure=True, agents=list(CENTRES)), net, rounds=1)
