"""Kills a program at random moments while it adds to a durable deduplicator: what it acknowledged is there the next time.

NEARDUP_KILLS=1000 says how often; 25 times without it.
"""

import os
import random
import subprocess
import tempfile
import unittest

KILLS = int(os.environ.get("NEARDUP_KILLS", "25"))


class Kills(unittest.TestCase):
    def test_what_was_acknowledged_survives_kill_9(self):
        moments = random.Random(1)
        acknowledged = 0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "seen")
            for kill in range(KILLS):
                with subprocess.Popen(
                    [os.environ["NEARDUP_SURVIVOR"], path], stdout=subprocess.PIPE, text=True
                ) as program:
                    # From before it has opened the file to a hundred documents later.
                    try:
                        program.wait(timeout=moments.choice([0.001, 0.01, 0.05, 0.2]) * moments.random())
                    except subprocess.TimeoutExpired:
                        pass
                    program.kill()
                    lines = program.stdout.read().split("\n")
                whole = lines[:-1]  # the last one may be cut off
                self.assertNotIn("wrong", "\n".join(lines))
                if not whole:
                    continue
                start = int(whole[0].removeprefix("start "))
                # One that was under way may have come to the disk, or the word of it not to us.
                self.assertGreaterEqual(start, acknowledged, f"after kill {kill}")
                self.assertLessEqual(start, acknowledged + 1, f"after kill {kill}")
                self.assertEqual([int(line) for line in whole[1:]], list(range(start, start + len(whole) - 1)))
                acknowledged = start + len(whole) - 1
        print(f"{KILLS} kills survived, {acknowledged} documents acknowledged")
        self.assertGreater(acknowledged, KILLS)


if __name__ == "__main__":
    unittest.main()
