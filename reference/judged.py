"""What a test expects of the second checker."""

from by_hand import text_of
from second_checker import judge


def accepted(path, certificate):
    verdict = judge(text_of(certificate), path)
    assert verdict.accepted, verdict
    return verdict


def refused(path, certificate, why=""):
    verdict = judge(text_of(certificate), path)
    assert not verdict.accepted, f"{why} was accepted: {certificate['claim']}"
    assert why in verdict.reason, verdict
    return verdict
