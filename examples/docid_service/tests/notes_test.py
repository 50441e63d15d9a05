#!/usr/bin/env python3
"""Tests the page about notes of agents: its Python code finds notes that a service keeps."""

import pathlib
import re

from harness import TestCase, main

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "how-to" / "agents-notes.md"


class Notes(TestCase):
    def test_notes_are_known_changed_or_new(self):
        names = {}
        exec(re.search(r"```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)[1], names)
        names["SERVICE"] = f"http://127.0.0.1:{self.service.port}"
        for name, note, verdict in (
            ("1", "PR 260 was merged after the review, and the cache is warm again", "new"),
            ("2", "PR 260 was merged after the last review, and the cache is warm again", "known"),
            ("3", "PR 480 was merged after the review, and the cache is warm again", "changed"),
            ("4", "The build of Friday is red because of a missing header", "new"),
            ("5", "PR 480 was merged after the review, and the cache is warm again!", "known"),
        ):
            self.assertEqual(names["judge"](note, name), verdict, note)
        self.restart()
        names["SERVICE"] = f"http://127.0.0.1:{self.service.port}"
        self.assertEqual(names["judge"]("PR 480 was merged after the review, and the cache is warm again", "6"), "known")


if __name__ == "__main__":
    main()
