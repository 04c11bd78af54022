"""A SuperLink in one process, made of Flower's own messages and objects, that can misbehave."""

import os
import subprocess
import threading
from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from deployment import wait_until
from flwr.app import Message, RecordDict
from flwr.app.message import remove_content_from_message
from flwr.common.serde import message_from_proto, message_to_proto
from flwr.proto import fleet_pb2, heartbeat_pb2, message_pb2
from flwr.supercore.inflatable.inflatable_object import (
    get_all_nested_objects,
    get_object_id,
    get_object_tree,
    iterate_object_tree,
)
from flwr.supercore.inflatable.inflatable_utils import (
    inflate_object_from_contents,
    validate_object_content,
)
from flwr.supercore.primitives.asymmetric import bytes_to_public_key, verify_signature

NODE = 7_000_000_000_000_000_007
PATIENCE = 60
#: What a call is answered with instead: a status and a body.
Odd = Callable[[bytes], tuple[int, bytes] | None]


class FakeLink:
    """Hands out messages one at a time, and keeps the replies."""

    def __init__(self) -> None:
        self.waiting: list[Message] = []
        self.objects: dict[str, bytes] = {}
        self.replies: dict[str, message_pb2.Message] = {}
        self.calls: list[str] = []
        self.confirmed: list[str] = []
        #: Behaviour by name of a call, in place of the usual.
        self.odd: dict[str, Odd] = {}
        #: Seconds by which its clock differs.
        self.ahead = 0.0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.address = f"127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def ask(self, content: RecordDict, kind: str = "train") -> str:
        """Queue a message; gives its name."""
        message = Message(content, NODE, kind)
        message.metadata.__dict__["_run_id"] = 11
        message.metadata.__dict__["_src_node_id"] = 1
        message.metadata.__dict__["_message_id"] = message.object_id
        nested = get_all_nested_objects(message)
        self.objects |= {name: part.deflate() for name, part in nested.items()}
        self.waiting.append(message)
        return message.metadata.message_id

    def reply(self, name: str) -> Message:
        """Wait for the reply to a message, and put it together as Flower does."""
        wait_until(lambda: name in self.confirmed, PATIENCE, f"no reply: {self.calls[-20:]}")
        proto = self.replies[name]
        return inflate_object_from_contents(
            proto.metadata.message_id, self.objects, keep_object_contents=True
        )

    def _handler(link):  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body in one packet, as servers do.
            wbufsize = -1

            def do_POST(self) -> None:
                call = self.path.removeprefix("/v1/fleet/")
                body = self.rfile.read(int(self.headers["content-length"]))
                link.calls.append(call)
                status, answer = link._answered(call, body, self.headers)
                self.send_response(status)
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def date_time_string(self, timestamp=None):
                moment = datetime.now(UTC).timestamp() + link.ahead
                return super().date_time_string(moment)

            def log_message(self, *_: object) -> None: ...

        return Handler

    def _answered(self, call: str, body: bytes, headers) -> tuple[int, bytes]:
        assert headers["content-type"] == "application/protobuf"
        if (odd := self.odd.get(call)) and (found := odd(body)) is not None:
            return found
        signed = datetime.fromisoformat(headers["flwr-timestamp"])
        age = datetime.now(UTC).timestamp() + self.ahead - signed.timestamp()
        public = bytes_to_public_key(b64decode(headers["flwr-public-key"], validate=True))
        signature = b64decode(headers["flwr-signature"], validate=True)
        if not -5 < age < 305 or not verify_signature(
            public, headers["flwr-timestamp"].encode(), signature
        ):
            return 401, b'{"detail":"Invalid SuperNode authentication"}'
        answer = getattr(self, "_" + call.replace("-", "_"))(body)
        return 200, answer.SerializeToString()

    def _activate_node(self, body):
        request = fleet_pb2.ActivateNodeRequest.FromString(body)
        assert request.heartbeat_interval == 30
        return fleet_pb2.ActivateNodeResponse(node_id=NODE)

    def _deactivate_node(self, body):
        assert fleet_pb2.DeactivateNodeRequest.FromString(body).node_id == NODE
        return fleet_pb2.DeactivateNodeResponse()

    def _send_node_heartbeat(self, body):
        known = heartbeat_pb2.SendNodeHeartbeatRequest.FromString(body).node.node_id == NODE
        return heartbeat_pb2.SendNodeHeartbeatResponse(success=known)

    def _pull_messages(self, body):
        assert fleet_pb2.PullMessagesRequest.FromString(body).node.node_id == NODE
        if not self.waiting:
            return fleet_pb2.PullMessagesResponse()
        message = self.waiting.pop(0)
        return fleet_pb2.PullMessagesResponse(
            messages_list=[message_to_proto(remove_content_from_message(message))],
            message_object_trees=[get_object_tree(message)],
        )

    def _pull_object(self, body):
        request = message_pb2.PullObjectRequest.FromString(body)
        assert (request.node.node_id, request.run_id) == (NODE, 11)
        content = self.objects.get(request.object_id)
        return message_pb2.PullObjectResponse(
            object_found=content is not None,
            object_available=bool(content),
            object_content=content or b"",
        )

    def _push_messages(self, body):
        request = fleet_pb2.PushMessagesRequest.FromString(body)
        (proto,), (tree,) = request.messages_list, request.message_object_trees
        reply = message_from_proto(proto)
        assert reply.metadata.message_id == tree.object_id
        assert reply.metadata.src_node_id == NODE
        assert reply.metadata.ttl > 0
        answered = reply.metadata.reply_to_message_id
        known = self.replies.setdefault(answered, proto)
        assert known.metadata.message_id == proto.metadata.message_id, "two different replies"
        parts = dict.fromkeys(part.object_id for part in iterate_object_tree(tree))
        missing = [part for part in parts if part not in self.objects]
        return fleet_pb2.PushMessagesResponse(objects_to_push=missing, session_id="session")

    def _push_object(self, body):
        request = message_pb2.PushObjectRequest.FromString(body)
        assert (request.session_id, request.run_id) == ("session", 11)
        validate_object_content(request.object_content)
        assert get_object_id(request.object_content) == request.object_id
        self.objects[request.object_id] = request.object_content
        return message_pb2.PushObjectResponse(stored=True)

    def _confirm_message_received(self, body):
        request = message_pb2.ConfirmMessageReceivedRequest.FromString(body)
        self.confirmed.append(request.message_object_id)
        return message_pb2.ConfirmMessageReceivedResponse()


def node_command(
    address: str, table: Path, key: Path, *more: object, tls: Path | None = None
) -> list[str]:
    """The command of a node of ours."""
    security = ["--root-certificates", tls] if tls else ["--insecure"]
    command = [os.environ["COREFED"], "node", "--superlink", address, "--data", table]
    return list(map(str, [*command, "--key", key, *security, *more]))


def node_key(path: Path) -> Path:
    """A key as the guide makes one."""
    make = ["ssh-keygen", "-t", "ecdsa", "-b", "384", "-N", "", "-q", "-f", str(path)]
    subprocess.run(make, check=True, stdin=subprocess.DEVNULL)
    return path
