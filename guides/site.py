"""How the documentation site differs from the same files in the repository."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: A link to a file of the repository that is not a page, with its anchor.
OUTSIDE = re.compile(r"\]\(((?:\.\./)+[^)#]*)(#[^)]*)?\)")


def github_slug(text: str, separator: str) -> str:
    """The anchor of a heading, as the public host makes it, so that links work in both places."""
    kept = re.sub(r"[^\w\- ]", "", text.strip().lower())
    return kept.replace(" ", separator)


def on_config(config):
    """Anchors are made by the rule of the public host."""
    config["mdx_configs"].setdefault("toc", {})["slugify"] = github_slug
    return config


def on_page_markdown(markdown, page, config, files):
    """Links that leave `docs/` go to the repository; their targets must exist."""
    here = ROOT / "docs" / Path(page.file.src_uri).parent

    def public(match):
        target = (here / match[1]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return match[0]
        if not target.exists():
            raise FileNotFoundError(
                f"{page.file.src_uri} links to `{match[1]}`, which is not there"
            )
        path = target.relative_to(ROOT).as_posix()
        return f"]({config['repo_url']}/blob/main/{path}{match[2] or ''})"

    return OUTSIDE.sub(public, markdown)
