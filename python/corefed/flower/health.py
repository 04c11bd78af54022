"""Is a SuperLink or a SuperNode alive? `python -m corefed.flower.health HOST:PORT`."""

from __future__ import annotations

import sys

import grpc
from grpc_health.v1.health_pb2 import HealthCheckRequest, HealthCheckResponse
from grpc_health.v1.health_pb2_grpc import HealthStub


def is_alive(address: str, timeout: float = 5.0) -> str | None:
    """Ask the health service of ``--health-server-address``; says what is wrong, if anything is."""
    with grpc.insecure_channel(address) as channel:
        try:
            answer = HealthStub(channel).Check(HealthCheckRequest(), timeout=timeout)
        except grpc.RpcError as error:
            return f"`{address}` does not answer: {error.code().name.lower()}"
    if answer.status != HealthCheckResponse.SERVING:
        return f"`{address}` answers and does not serve"
    return None


def main(arguments: list[str]) -> int:
    """Exit code 0 if it is alive, 1 if it is not, 2 if the question is wrong."""
    if len(arguments) != 1 or ":" not in arguments[0]:
        print("usage: python -m corefed.flower.health HOST:PORT", file=sys.stderr)
        return 2
    if why := is_alive(arguments[0]):
        print(why, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
