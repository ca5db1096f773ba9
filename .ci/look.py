"""Open a page in headless chromium and refuse it where it shows nothing, says an error or asks for anything.

    python .ci/look.py runs/ci/report.html
    python .ci/look.py --planted     # pages that must be refused, and one that must not

Errors are what chromium writes of the console, requests what its network log holds. Left out: whether it is pretty.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1200,3000",
    "--virtual-time-budget=3000",
    "--enable-logging=stderr",
    "--v=0",
]
COLOURS = 16
"""Fewest colours of a page with text and charts."""
INK = 0.005
"""Least share of pixels that are not the page's most frequent colour."""

PLANTED = {
    "blank": "<body></body>",
    "one colour": "<body style='background: red'></body>",
    "error": "<body><script>undefinedName()</script>{text}</body>",
    "message": "<body><script>console.error('broken')</script>{text}</body>",
    "request": "<body><img src='https://elsewhere.invalid/a.png'>{text}</body>",
    "good": "<body>{text}</body>",
}
TEXT = "<h1 style='color: blue'>Reward</h1><p>The quick brown fox jumps over the lazy dog. 0123456789</p>" * 20


def look(page: Path) -> list[str]:
    """What is wrong with the page."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "page.png")
        command = ["chromium", *FLAGS, f"--user-data-dir={folder}/profile", "--host-resolver-rules=MAP * ~NOTFOUND"]
        command += [f"--log-net-log={folder}/net.json", "--net-log-capture-mode=IncludeSensitive"]
        command += [f"--screenshot={picture}", page.resolve().as_uri()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)
        if done.returncode or not picture.exists():
            return [f"chromium ended with {done.returncode} and {'a' if picture.exists() else 'no'} picture"]
        wrong = [
            f"console: {line.partition('CONSOLE')[2][:300]}" for line in done.stderr.splitlines() if "CONSOLE" in line
        ]
        wrong += [f"asks for {url}" for url in asked(json.loads(Path(folder, "net.json").read_text(encoding="utf-8")))]
        with Image.open(picture) as image:
            pixels = image.convert("RGB")
            counts = sorted((n for n, _ in pixels.getcolors(pixels.width * pixels.height)), reverse=True)
        ink = 1 - counts[0] / sum(counts)
        print(f"{page.name}: {len(counts)} colours, {ink:.1%} of the pixels are not the background")
        if len(counts) < COLOURS or ink < INK:
            wrong.append(f"the page shows next to nothing: {len(counts)} colours, {ink:.2%} ink")
        return wrong


def asked(log: dict[str, Any]) -> list[str]:
    """What the page itself asked the network for; chromium's own requests have no origin."""
    told = [event.get("params", {}) for event in log["events"]]
    return sorted({p["url"] for p in told if "url" in p and p.get("initiator", "not an origin") != "not an origin"})


def planted() -> list[str]:
    """Pages that ought to be refused and are not, and the other way round."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, html in PLANTED.items():
            page = Path(folder, f"{name.replace(' ', '_')}.html")
            page.write_text(f"<!doctype html><title>{name}</title>" + html.replace("{text}", TEXT), encoding="utf-8")
            found = look(page)
            if bool(found) != (name != "good"):
                wrong.append(f"planted page {name!r}: {found or 'found nothing'}")
    return wrong


def main() -> int:
    """Exit 1 and say what is wrong, or 0."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--planted", action="store_true", help="check the check")
    given = parser.parse_args()
    wrong = planted() if given.planted else []
    for page in given.pages:
        wrong += [f"{page}: {line}" for line in look(page)]
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
