"""The study's numbers as the page that is committed."""

from __future__ import annotations

import platform
import textwrap
from collections.abc import Iterator

import numpy as np
from agents import LIES, MOVED


def markdown(found: dict, rules: tuple[str, ...]) -> str:
    seeds, attacks, guards = found["seeds"], found["attacks"], found["guards"]
    lines = [
        "# What a liar gains, and what it costs the others", "",
        f"`python experiments/liars/study.py --seeds {seeds} --out experiments/liars`, Python "
        f"{platform.python_version()}, NumPy {np.__version__}; the mean over {seeds} seeds.",
        "Ten agents, one of them opposed to all others (three in the last rows of each rule), 60 rounds of five",
        "local steps of a logistic regression. *Share* is the liar's part of a step, *gain* the change of its true",
        "utility against being honest, *others* and *worst* the change of theirs, mean and smallest;",
        "*seen* is the part of rounds in which a guard acted on the liar. Guards: "
        + ", ".join(f"`{key} = {value:g}`" for key, value in guards.items()) + ".",
        "Numbers of rows weigh under fedavg and propfair only. Under newton agents send gradients and Hessians",
        "instead of updates: a lie about an update is one about the gradient, and there is no `share_cap`.", "",
    ]
    for rule in rules:
        lines += [
            f"## {rule}", "",
            "| lie | share | gain | others | worst | with guards: share | gain | others | worst | seen |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]
        for name in LIES:
            cells = []
            for guarded in (False, True):
                (row,) = [
                    r for r in attacks
                    if (r["rule"], r["lie"], r["guarded"]) == (rule, name, guarded)
                ]
                cells += [f"{row['share']:.2f}"]
                cells += [f"{row[key]:+.2f}" for key in ("gain", "others", "worst")]
            lines.append(f"| {name} | " + " | ".join(cells) + f" | {row['acted']:.0%} |")
        lines.append("")
    lines += [
        "## Few agents", "",
        "Among few agents three times a fair share is all of a step, so that no share exceeds one half either",
        "(ledger E66). *Honest* is the share that the opposed agent has by the rule when it tells the truth.", "",
        "| rule | lie | agents | honest | share | gain | others | with guards: honest | share | gain | others |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in found["few"]:
        cells = [
            f"{was:.2f} | {share:.2f} | {gain:+.2f} | {others:+.2f}"
            for was, share, gain, others in (row["free"], row["guarded"])
        ]
        lines.append(f"| {row['rule']} | {row['lie']} | {row['agents']} | " + " | ".join(cells) + " |")
    lines += [
        "", "## False alarms", "",
        "Ten honest agents that have little in common (20 to 2,000 rows, scales of columns from 1/3 to 3, noise):",
        "how often a guard acts on anybody, on how many agents at least once, and what that does to utilities.",
        "*Opposed* is the honest agent of the tables above, which all others oppose: in how many of its rounds a",
        "guard acts on it, and what its utility changes by that.", "",
        "| rule | rounds of agents | agents | utility, mean | smallest | opposed, rounds | its utility |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['rule']} | {row['rounds']:.1%} | {row['agents']:.0%} | {row['utility']:+.3f} | {row['worst']:+.3f} |"
        f" {row['opposed']:.0%} | {row['opposed_utility']:+.3f} |"
        for row in found["false_alarms"]
    ]
    *ways, rows = found["contradictions"]
    lines += [
        "",
        f"A number of rows was cut of {rows['rate']:.0%} of these agents; the utilities above are with it.",
        "Two losses of one agent with one model contradict each other where they differ by more than a",
        "thousandth. Honest agents do, in this part of their rounds, by how they measure the second time:", "",
        "| measured by | named |", "|---|---:|",
    ]
    lines += [f"| {row['way']} | {row['rate']:.1%} |" for row in ways]
    lines += [
        "",
        "An app that measures on a sample of its rows is named in nearly every round, so that the guard names",
        "agents and cuts nobody.",
    ]
    lines += [
        "", "## Losses against updates", "",
        "An agent is named, and not cut, while in more than half of its last ten comparisons its reported loss does",
        "not go where its own update says (`corefed._federation.movement`). In which part of rounds: honest agents",
        "with little in common, then the agent that all others oppose, honest and lying; with all rows in every",
        "step, and with batches of sixteen.", "",
        "| rule | batches | honest, different | " + " | ".join(MOVED) + " |",
        "|---|---|---:|" + "---:|" * len(MOVED),
    ]
    lines += [
        f"| {row['rule']} | {'16 rows' if row['batches'] else 'all rows'} | {row['different']:.1%} | "
        + " | ".join(f"{row[name]:.0%}" for name in MOVED) + " |"
        for row in found["movements"]
    ]
    lines += [
        "", "## How long an update may be", "",
        "The honest agent that all others oppose sends the longest updates, because the model serves it worst. A low",
        "`norm_cap` stops long updates, and takes from it what the rule would give it. *Honest* is the change of its",
        "utility by the cap, *acted* the part of rounds in which it is cut; *gain* and *others* are those of a liar that",
        "sends ten times its update.", "",
        "| rule | `share_cap` | `norm_cap` | honest | acted | gain | others |", "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['rule']} | {row['share_cap'] or 'none'} | {row['norm_cap'] or 'none'} | {row['honest']:+.2f} | {row['acted']:.0%} |"
        f" {row['gain']:+.2f} | {row['others']:+.2f} |"
        for row in found["lengths"]
    ]
    lines += [
        "",
        "Under afl it is `share_cap` that makes a long update worth while: it takes from the honest agent what",
        "the rule would give it, and length brings some of that back. `norm_cap` neither helps nor harms there.",
        "", "## How many rows may count", "",
        "fedavg. *Cut* is the part of honest agents, from 20 to 2,000 rows, whose number is cut, and what that does",
        "to their utilities; then those of a liar that reports 1e12 rows among agents of 200.", "",
        "| `rows_spread` | cut | utility, mean | smallest | liar's share | gain | others |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {row['rows_spread'] or 'none'} | {row['cut']:.0%} | {row['utility']:+.3f} | {row['worst']:+.3f} |"
        f" {row['share']:.2f} | {row['gain']:+.2f} | {row['others']:+.2f} |"
        for row in found["sizes"]
    ]
    return "\n".join(wrapped(lines)) + "\n"


def wrapped(lines: list[str]) -> Iterator[str]:
    """Paragraphs of at most 100 columns; tables and headings as they are."""
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line and not line.startswith(("|", "#")):
            paragraph.append(line)
            continue
        yield from textwrap.wrap(" ".join(paragraph), 100, break_on_hyphens=False)
        paragraph = []
        yield line
