"""Kills a program at random moments while it adds to a durable deduplicator or set_index. At the next start, all
acknowledged changes must be there.

NEARDUP_KILLS is the number of kills (default: 25).
"""

import os
import random
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

KILLS = int(os.environ.get("NEARDUP_KILLS", "25"))
SAVED_EVERY = 64  # the program saves after this many steps


def lines_to_kill_after(first, choice):
    """Returns how many lines to read before the kill. The line `first` has the number of the program's first step."""
    start = int(first.removeprefix("start "))
    # The kill comes after the first steps, some steps later, or while the program saves.
    return {"early": 0, "later": 5, "late": 30, "saving": (SAVED_EVERY - 1 - start) % SAVED_EVERY}[choice]


def lines_until_kill(program, moments):
    """Waits for a moment. The moment depends on the progress of the program, because its start takes different times
    on different machines."""
    choice = moments.choice(["opening", "early", "later", "late", "saving"])
    lines = []
    if choice != "opening":
        lines.append(program.stdout.readline())
        if lines[0].startswith("start "):
            lines += [program.stdout.readline() for _ in range(lines_to_kill_after(lines[0], choice))]
    time.sleep(moments.choice([0.001, 0.01, 0.05]) * moments.random())
    program.kill()
    return ("".join(lines) + program.stdout.read()).split("\n")


class Kills(unittest.TestCase):
    def test_what_was_acknowledged_survives_kill_9(self):
        self.check(KILLS, [])

    def test_a_bounded_stream_of_batches_survives_kill_9_with_its_ages(self):
        self.check(max(KILLS // 2, 12), ["stream"])

    def test_an_index_of_sets_survives_kill_9(self):
        self.check(max(KILLS // 2, 12), ["sets"])

    def check(self, kills, mode):
        moments = random.Random(1)
        acknowledged = opened = 0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "seen")
            for kill in range(kills):
                with subprocess.Popen(
                    [*shlex.split(os.environ["NEARDUP_SURVIVOR"]), path, *mode], stdout=subprocess.PIPE, text=True
                ) as program:
                    lines = lines_until_kill(program, moments)
                    self.assertEqual(program.wait(), -signal.SIGKILL, "\n".join(lines))
                self.assertNotIn("wrong", "\n".join(lines))
                whole = lines[:-1]  # the last line may be cut off
                if not whole:
                    continue
                opened += 1
                start = int(whole[0].removeprefix("start "))
                # The step in progress may be on the disk although no line acknowledged it.
                self.assertGreaterEqual(start, acknowledged, f"after kill {kill}")
                self.assertLessEqual(start, acknowledged + 1, f"after kill {kill}")
                self.assertEqual([int(line) for line in whole[1:]], list(range(start, start + len(whole) - 1)))
                acknowledged = start + len(whole) - 1
        print(f"{kills} kills survived, {opened} of them after it was opened, {acknowledged} steps acknowledged")
        self.assertGreater(acknowledged, kills)
        self.assertGreater(opened, kills // 2)


if __name__ == "__main__":
    unittest.main()
