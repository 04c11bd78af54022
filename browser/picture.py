"""Draws the first screen of a report for the README: `python browser/picture.py docs/images/report.png`."""

import base64
import sys
import tempfile
from pathlib import Path

from conftest import chromium, corefed
from palette import with_palette

WIDTH, HEIGHT = 1040, 984


def main() -> None:
    """Runs the embedded hospitals with held-out rows and writes what a reader sees first."""
    out = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        corefed(place, "run", "hospitals", "--set", "held_out=0.3", "--out", "hospitals")
        browser = chromium(place / "profile", "--hide-scrollbars")
        try:
            screen = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
            light = [{"name": "prefers-color-scheme", "value": "light"}]
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "screen", "features": light})
            browser.get((place / "hospitals" / "report.html").as_uri())
            shot = browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
        finally:
            browser.quit()
    out.write_bytes(with_palette(base64.b64decode(shot["data"])))


if __name__ == "__main__":
    main()
