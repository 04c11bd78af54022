"""Names of what travels between server and clients."""

from __future__ import annotations

#: Metric of a reply: the loss on the agent's training rows at the model it received.
LOSS = "loss-before"
#: Metric of a reply: how many rows that is. An app's own count may be of other rows.
SAMPLES = "corefed-samples"
#: Metric that apps of Flower send: a number of rows, of training or of validation.
EXAMPLES = "num-examples"
#: Metric of a reply: the share of right answers on those rows.
ACCURACY = "accuracy-before"
#: Record of a reply that says who it is from.
ABOUT = "corefed"
#: Key in that record.
AGENT = "agent"
#: Key in that record: whether the app adds to its gradients what a request asks it to.
CORRECTS = "corrects"
#: Key of a request's configuration: what is wanted besides the app's own answer.
ASK = "corefed-ask"
#: Asks for nothing but the name of the agent.
WHO = "who"
#: Asks for the losses of all models in the message; the app itself is not called.
LOSSES = "losses"
#: Asks on which terms an agent answers exact audits, and record of the reply.
TERMS = "terms"
#: Asks for losses and derivatives at points, and record of the reply that says which they were.
ORACLE = "oracle"
#: Record and array of such a request; in its reply, the digest of what was sent.
POINTS = "points"
#: Asks an agent to check a certificate and to sign its own answers in it.
ATTEST = "attest"
#: Key of that request, and record and key of its reply.
CERTIFICATE, ATTESTATION = "certificate", "attestation"
#: Asks an agent what its ceiling goes by, and keys of that request.
DECLARE, POLICY, RADIUS = "declare", "policy", "radius"
#: Record and key of its reply: numbers.
DECLARED = "declared"
#: Record and key of a reply that says why there is no answer.
REFUSAL = "corefed-refusal"
#: Key in that record: true where the ticket of a sum has been used already.
STALE = "stale-ticket"
#: Keys of a request's configuration.
ROUND = "server-round"
RULE = "corefed-rule"
CEILING = "corefed-ceiling"
FLOOR = "corefed-floor"
INDEX = "corefed-index"
#: Record of a request: what the agent adds to the gradient in every step.
DRIFT = "corefed-drift"
#: Record of the reply to it: how many steps of which size, and which parts were corrected.
WALK = "corefed-walk"
STEPS, RATE, MOMENTUM, PARTS = "steps", "rate", "momentum", "parts"
#: Asks for the key of secure sums, for a sealed message, and for the seed that opens it.
SUM_KEY, SEAL, OPEN = "sum-key", "seal", "open"
#: Record of such a request: who sums what; key of replies to the first and the last.
SECURE, PUBLIC, SEED = "corefed-secure", "public", "seed"
#: Record and array of a sealed message.
SEALED = "sealed"
#: Metric of a reply: the epsilon that an agent has spent by its own account.
EPSILON = "corefed-epsilon"
