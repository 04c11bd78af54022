"""A second checker for certificates of federations that pool nothing, from `docs/certificate.md` alone."""

from .judge import judge_attested

__all__ = ["judge_attested"]
