"""Names of what travels between FLARE's server and its sites."""

from __future__ import annotations

#: Metric of a training: the loss on the site's own rows at the model it received.
LOSS_BEFORE = "loss_before"
#: Metric of an evaluation: the loss on the same rows at the model that was sent.
LOSS = "loss"
#: Metric of either: the share of right answers there, where there are answers.
ACCURACY = "accuracy"
#: In the meta data of a training: how many rows that is.
SAMPLES = "samples"
#: In the meta data of a model: ceilings by site, where training goes by them.
CEILINGS = "corefed_ceilings"
