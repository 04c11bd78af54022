"""Three sites with a small table each, for every family, and the same rows in one place."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from exactly import corefed
from inprocess import InProcess, Node

from corefed import flower

NAMES = ["North", "South", "West"]


@dataclass
class Sites:
    folder: Path
    model: str

    def client(self, name: str) -> flower.LinearClient:
        encoding = self.folder / "encoding.json"
        return flower.LinearClient(self.folder / f"{name}.csv", encoding, self.model)

    def own(self, context) -> flower.LinearClient:
        return self.client(context.node_config["agent"])

    def grid(self, app_of) -> InProcess:
        loss = lambda arrays, context: self.own(context).loss(arrays)  # noqa: E731
        app = app_of(flower.report_loss(loss), flower.answer_audits(self.own))
        return InProcess([Node(app, name) for name in NAMES])


def sites(folder: Path, model: str) -> Sites:
    """Write the tables."""
    rng = np.random.default_rng(11)
    exposed = model == "poisson"
    lines = ["site,a,b,y" + ",years" * exposed]
    for k, site in enumerate(NAMES):
        for _ in range(60):
            a, b = rng.normal(size=2)
            push = a * (1 - k) + 0.5 * b + 0.3 * rng.normal()
            years = 0.5 + rng.uniform()
            y = {
                "logistic": "yes" if push > 0.2 else "no",
                "softmax": "low" if push < -0.4 else "high" if push > 0.6 else "mid",
                "linear": f"{40 + push:.6f}",
                "poisson": str(rng.poisson(years * np.exp(0.3 * push))),
            }[model]
            lines.append(f"{site},{a:.6f},{b:.6f},{y}" + f",{years:.6f}" * exposed)
    folder.mkdir()
    table = folder / "all.csv"
    table.write_text("\n".join(lines) + "\n")
    exposure = "years" if exposed else None
    flower.LinearClient.agree(table, "site", "y", folder / "encoding.json", model, exposure)
    for name in NAMES:
        own = [line for line in lines[1:] if line.startswith(name)]
        (folder / f"{name}.csv").write_text("\n".join([lines[0], *own]) + "\n")
    return Sites(folder, model)


def solved(found: Sites, *terms: object) -> tuple[int, str]:
    """What the engine says of all rows in one table, under some terms."""
    exposure = ["--exposure", "years"] if found.model == "poisson" else []
    data = [found.folder / "all.csv", "--agent", "site", "--target", "y", *exposure]
    return corefed("solve", *data, "--model", found.model, *terms, "--json")
