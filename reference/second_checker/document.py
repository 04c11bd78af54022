"""A certificate as text, read strictly: what the page does not describe is refused."""

import json

from .refusal import Refused, require
from .shapes import many, nullable, number, number_or_inf, one_of, record, tagged, text, whole

INTERVAL = record(lo=number_or_inf, hi=number_or_inf)
KIND = {"kind": text}

FEATURE = tagged(
    numeric=record(**KIND, column=text, mean=number, scale=number, optional={"missing": number}),
    level=record(**KIND, column=text, level=text),
    intercept=record(**KIND),
)

SCALE = record(mean=number, scale=number)
WRITTEN = record(
    optional={
        "separator": one_of("comma", "semicolon", "tab", "pipe"),
        "decimal": one_of("point", "comma"),
    }
)


def written(value, where):
    """What says nothing is left out."""
    found = WRITTEN(value, where)
    require(any(found.values()), f"{where} says nothing")
    return found


INTAKE = record(
    optional={
        "written": written,
        "na": many(text),
        "dates": many(record(column=text, becomes=one_of("days", "parts"))),
        "rows": one_of("all", "labelled", "complete"),
    }
)

PREDICTOR = {
    "family": one_of("linear", "logistic", "softmax", "poisson"),
    "l2": number,
    "radius": number,
    "encoding": record(
        agent_column=text,
        target_column=text,
        classes=many(text),
        features=many(FEATURE),
        optional={"exposure_column": text, "target_scale": SCALE, "intake": INTAKE},
    ),
    "parameters": many(number),
}

SUBJECT = tagged(
    predictor=record(**KIND, **PREDICTOR),
    table=record(**KIND, incumbent=text),
)


def rival(value, where):
    """Parameters, or the name of a row."""
    require(isinstance(value, dict) and len(value) == 1, f"{where} is not one rival")
    shape = {"parameters": many(number), "row": text}
    return record(**{name: shape[name] for name in value if name in shape})(value, where)


WITNESS = record(coalition=many(whole), gains=many(number_or_inf), rival=rival)

CONFLICT = record(
    agents=many(whole),
    multipliers=many(number),
    point=many(number),
    bound=number,
    optional={"sphere": number, "correction": many(number)},
)

EVIDENCE = tagged(
    **{
        "frank-wolfe": record(
            **KIND,
            gap=number,
            worst_losses=many(record(bound=number, multiplier=nullable(number))),
        ),
        "conflicts": record(
            **KIND,
            conflicts=many(CONFLICT),
            hopeless=many(
                record(
                    agent=whole,
                    point=many(number),
                    optional={"sphere": number, "correction": many(number)},
                )
            ),
        ),
        "headroom": record(**KIND),
        "listed": record(**KIND),
        "unbounded": record(**KIND),
    }
)

CERTIFICATE_PARTS = {
    "claim": record(
        verdict=one_of("stable", "blocked", "improvable", "undecided"),
        kappa=INTERVAL,
        everybody=INTERVAL,
        tolerance=number,
    ),
    "assumptions": many(
        record(statement=text, status=one_of("checked", "assumed", "violated"), detail=text)
    ),
}

CERTIFICATE = record(
    **CERTIFICATE_PARTS,
    format=one_of("corefed-certificate"),
    version=one_of(2),
    agents=many(
        record(
            name=text,
            samples=whole,
            weight=number,
            ceiling=nullable(number),
            utility=number,
            margin=number,
        )
    ),
    subject=SUBJECT,
    witness=nullable(WITNESS),
    improvement=nullable(WITNESS),
    evidence=EVIDENCE,
    digests=record(data=text, parameters=text),
)


def once(pairs):
    """An object, unless a field is given twice."""
    fields = dict(pairs)
    require(len(fields) == len(pairs), "a field is given twice")
    return fields


def no_constant(name):
    raise Refused(f"`{name}` is not JSON")


def integer(digits):
    """An integer, but `-0` has a sign that the digest of the parameters sees."""
    return -0.0 if digits == "-0" else int(digits)


def read_json(document):
    try:
        return json.loads(
            document, object_pairs_hook=once, parse_constant=no_constant, parse_int=integer
        )
    except (ValueError, RecursionError) as error:
        raise Refused(f"not JSON: {error}") from error


def read_document(document):
    """The fields of a certificate, each of its shape."""
    return CERTIFICATE(read_json(document), "the document")
