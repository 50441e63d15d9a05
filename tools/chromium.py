"""Headless Chromium, for tests of pages and for pictures of them."""

import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium")


def run(url, *options, timeout=300):
    """What Chromium prints when it shows a page in this way."""
    with tempfile.TemporaryDirectory() as profile:
        command = [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        command += ["--hide-scrollbars", "--user-data-dir=" + profile, *options, str(url)]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True).stdout


def dump_dom(url, milliseconds=8000):
    """The document as its scripts have made it, after so much of the page's own time."""
    return run(url, f"--virtual-time-budget={milliseconds}", "--dump-dom")


def take_picture(url, path, width, height, milliseconds=8000):
    """A PNG of the window."""
    run(url, f"--virtual-time-budget={milliseconds}", f"--window-size={width},{height}", f"--screenshot={path}")
