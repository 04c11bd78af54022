"""The shape of a document."""

from ..document import (
    CERTIFICATE_PARTS,
    KIND,
    PREDICTOR,
    read_json,
)
from ..refusal import require
from ..shapes import many, nullable, number, number_or_inf, one_of, record, tagged, text, whole

LEAF = record(
    point=whole,
    loss=number,
    margin=number,
    gradient=nullable(record(values=many(number), margin=number)),
)
ATTESTATION = record(
    samples=whole,
    rows=nullable(text),
    leaves=many(LEAF),
    worst_loss=nullable(number),
    signature=nullable(text),
)
TANGENTS = many(record(agent=whole, point=whole, multiplier=number))
WITNESS = record(coalition=many(whole), gains=many(number_or_inf), point=whole)
EVIDENCE = tagged(
    **{
        "tangents": record(
            **KIND,
            conflicts=many(record(tangents=TANGENTS, bound=number)),
            hopeless=many(record(agent=whole, tangents=TANGENTS)),
        ),
        "frank-wolfe": record(**KIND, gap=number),
        "headroom": record(**KIND),
        "unbounded": record(**KIND),
    }
)
OWN_MODEL = record(own=text, l2=number, radius=number, parameters=many(number))


def model(value, where):
    """A predictor whose losses follow from rows, or a model of the agents' own."""
    own = isinstance(value, dict) and "own" in value
    return (OWN_MODEL if own else record(**PREDICTOR))(value, where)


PARTY = record(name=text, weight=number, ceiling=number, policy=text, key=nullable(text))
CERTIFICATE = record(
    format=one_of("corefed-attested-certificate"),
    version=one_of(1, 2),
    claim=CERTIFICATE_PARTS["claim"],
    terms=record(predictor=model, agents=many(PARTY), tolerance=number),
    points=many(many(number)),
    attestations=many(ATTESTATION),
    witness=nullable(WITNESS),
    improvement=nullable(WITNESS),
    evidence=EVIDENCE,
    assumptions=CERTIFICATE_PARTS["assumptions"],
)


def read_attested(document):
    certificate = CERTIFICATE(read_json(document), "the document")
    version = 2 if "own" in certificate["terms"]["predictor"] else 1
    require(certificate["version"] == version, "models of this kind have another version")
    return certificate
