"""Runs headless Chromium, to test pages and to take pictures of them."""

import shutil
import subprocess
import tempfile

PROGRAM = shutil.which("chromium")


def run(url, *options, timeout=300):
    """Chromium's output for a page with these options."""
    with tempfile.TemporaryDirectory() as profile:
        command = [PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        command += ["--hide-scrollbars", "--user-data-dir=" + profile, *options, str(url)]
        return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=True).stdout


def dump_dom(url, milliseconds=8000):
    """The document after its scripts have run for this many milliseconds of the page's virtual time."""
    return run(url, f"--virtual-time-budget={milliseconds}", "--dump-dom")


def take_picture(url, path, width, height, milliseconds=8000):
    """Writes a PNG of the window."""
    run(url, f"--virtual-time-budget={milliseconds}", f"--window-size={width},{height}", f"--screenshot={path}")
