"""Who is who: agents have names, nodes have numbers that mean nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from logging import WARNING

from flwr.app import Message
from flwr.serverapp import Grid

from corefed._federation.order import in_order
from corefed.flower.logged import log
from corefed.flower.reply import declared_agent
from corefed.flower.strangers import Stranger


class Roster:
    """Agents of a federation, and the nodes that speak for them now."""

    def __init__(self, names: Sequence[str] | None = None) -> None:
        #: The agents in their order; ``None`` until it is known who takes part.
        self.names = None if names is None else list(names)
        self._registered: dict[int, str] = {}
        self._declared: dict[int, str] = {}
        #: Digests of the keys of nodes that are registered.
        self._keys: dict[int, str] = {}
        #: How often a node was asked for whom it speaks.
        self.asked: Counter[int] = Counter()
        #: Nodes that were there at the last look.
        self.online: list[int] = []

    def look(self, grid: Grid) -> list[int]:
        """See which nodes are there; gives those of whom it is not known for whom they speak."""
        nodes = list(grid.get_nodes())
        self.online = [node.node_id for node in nodes]
        self._registered = {node.node_id: node.name for node in nodes if node.name}
        self._keys = {
            node.node_id: sha256(node.public_key).hexdigest() for node in nodes if node.public_key
        }
        return [node for node in self.online if self.agent(node) is None]

    @property
    def keys(self) -> dict[str, str]:
        """Digests of the keys that agents are registered with, by name."""
        return {
            self._registered[node]: key
            for node, key in self._keys.items()
            if node in self._registered
        }

    def agent(self, node: int) -> str | None:
        """For whom a node speaks. A registered name counts more than what the node says itself."""
        return self._registered.get(node) or self._declared.get(node)

    def learn(self, node: int, reply: Message) -> str | None:
        """Take a reply's word for whom its node speaks: its first, unless its name is registered.

        A node that later speaks for somebody else is not heard.
        """
        said = declared_agent(reply)
        if node in self._registered or said is None:
            return self.agent(node)
        first = self._declared.setdefault(node, said)
        if said != first:
            log(WARNING, "a node spoke for agent `%s` and now for `%s`: not heard", first, said)
            return None
        return first

    def nodes(self) -> dict[str, int]:
        """The node of every agent that is there. Of two that claim one agent, neither counts."""
        found: dict[str, int] = {}
        doubled = set()
        for node in self.online:
            name = self.agent(node)
            if name is None or (self.names is not None and name not in self.names):
                continue
            if name in found:
                doubled.add(name)
            found[name] = node
        for name in in_order(doubled):
            log(WARNING, "two nodes speak for agent `%s`: neither is asked", name)
            del found[name]
        return found

    def complete(self) -> bool:
        """Whether it is known which nodes speak for all agents of the federation."""
        known = {self.agent(node) for node in self.online}
        return self.names is not None and known >= set(self.names)

    def strangers(self) -> list[Stranger]:
        """Nodes that are there and not of the federation.

        One that does not say for whom it speaks may be an agent that is missed.
        """
        known, complete = set(self.names or []), self.complete()
        found = [(node, self.agent(node)) for node in self.online]
        return [
            Stranger(node, agent, self._keys.get(node))
            for node, agent in sorted(found, key=lambda pair: pair[0])
            if (complete if agent is None else agent not in known)
        ]
