"""Names of sites that would act on a terminal, in errors at a site and at the server."""

import numpy as np
import nvflare.client
import pytest
from federation import Federation, trained
from nvflare.app_common.abstract.fl_model import FLModel

import corefed
from corefed.flare import CoreFedAggregator, told_ceiling

HOSTILE = "a\x1b[2J\nFORGED: stable\u202e"
SHOWN = r"a\u001b[2J\u000aFORGED: stable\u202e"


def tame(error):
    assert SHOWN in error.message, error.message
    assert error.message.isprintable()
    assert error.agent == HOSTILE


def test_a_site_without_a_ceiling(monkeypatch):
    monkeypatch.setattr(nvflare.client, "get_site_name", lambda: HOSTILE)
    with pytest.raises(corefed.InputError, match="no ceiling of site") as caught:
        told_ceiling(FLModel(params={"w": np.zeros(2)}))
    tame(caught.value)


def test_a_site_that_sends_what_cannot_be_used():
    start, update = {"w": np.zeros(2)}, {"w": np.ones(2)}
    federation = Federation(CoreFedAggregator(ceilings=3.0, sites=["b", HOSTILE]), start)
    bad = trained(update, -1.0, 3)
    with pytest.raises(corefed.CohortError, match="cannot begin") as caught:
        federation.round(0, {HOSTILE: bad, "b": trained(update, 1.0, 3)})
    tame(caught.value)
