"""The checker in Rust, one process for many documents."""

import json
import os
import subprocess
from pathlib import Path

from binary import ROOT

COREFED_VERIFY = os.environ.get("COREFED_VERIFY", str(ROOT / "target" / "release" / "corefed-verify"))


def is_built():
    return Path(COREFED_VERIFY).is_file()


class FirstChecker:
    """`corefed-verify --batch`: a document per line in, a judgement per line out."""

    def __init__(self, data_path):
        command = [COREFED_VERIFY, "--data", str(data_path), "--batch"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def judge(self, document):
        """Whether the document is verified, and the reason if not."""
        assert "\n" not in document, "a document is one line"
        self.process.stdin.write(document + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the checker ended with {self.process.poll()} on: {document}"
        answer = json.loads(line)
        assert answer["status"] in ("verified", "refused"), answer
        return answer["status"] == "verified", answer.get("reason", "")

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=10)
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
