#!/usr/bin/env python3
"""Measures how the time and memory of `neardup unique --passages` and of `neardup passages` grow. The texts are
generated, and a fifth of their words is copied. Prints a Markdown table for docs/how-to/repeated-passages.md.

  bench/passages.py build/release/bin/neardup 1G 2G 4G --memory 1G

A text has 200 to 600 words of a vocabulary of 100,000, skewed as in language. With a probability of one fifth, the
next 100 words are copied from a random place of an earlier text. The texts and the temporary files of the command
are in the folder of TMPDIR. The script needs four times the largest size there.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

import numpy as np

UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}
STEP = 100  # the number of consecutive words that are either new or copied
KEPT = 1 << 16  # the number of earlier texts from which words are copied


def size_of(text):
    return int(float(text[:-1]) * UNITS[text[-1]]) if text[-1] in UNITS else int(text)


def write_texts(path, size, seed=75):
    """Writes lines until there are `size` bytes. Returns the share of copied words."""
    rng = np.random.default_rng(seed)
    words = np.array(["".join(rng.choice(list("abcdefghijklmnopqrstuvwxyz"), n)) for n in rng.integers(3, 11, 100_000)], object)
    earlier, written, copied, all_words = [], 0, 0, 0
    with open(path, "w", encoding="ascii") as file:
        while written < size:
            numbers = (words.size * rng.random((1000, 6 * STEP)) ** 3).astype(np.int32)
            for row in numbers:
                row = row[: STEP * int(rng.integers(2, 7))]
                for begin in range(0, row.size, STEP):
                    if earlier and rng.random() < 0.2:
                        source = earlier[int(rng.integers(len(earlier)))]
                        at = int(rng.integers(source.size - STEP + 1))
                        row[begin : begin + STEP] = source[at : at + STEP]
                        copied += STEP
                all_words += row.size
                if len(earlier) < KEPT:
                    earlier.append(row.copy())
                else:
                    earlier[int(rng.integers(KEPT))] = row.copy()
                line = " ".join(words[row]) + "\n"
                file.write(line)
                written += len(line)
                if written >= size:
                    break
    return copied / all_words


class Watch(threading.Thread):
    """Returns the peak memory of a process, and the largest size of its temporary files, which have no name."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.folder, self.has_ended = pathlib.Path(f"/proc/{process.pid}"), threading.Event()
        self.memory = self.temporary = 0

    def run(self):
        while not self.has_ended.wait(0.1):
            try:
                status = self.folder.joinpath("status").read_text(encoding="ascii")
                self.memory = max(self.memory, *(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")), 0)
                links = [link for link in self.folder.joinpath("fd").iterdir() if os.readlink(link).endswith(" (deleted)")]
                self.temporary = max(self.temporary, sum(link.stat().st_blocks * 512 for link in links))
            except OSError:  # a file was closed, or the process has ended
                pass


def measure(command):
    """Returns the CPU seconds, the peak memory and the most temporary data in bytes, and the note of the command."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    watch = Watch(process)
    watch.start()
    note = process.stderr.read().decode()
    _, status, used = os.wait4(process.pid, 0)
    watch.has_ended.set()
    watch.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(note)
    return used.ru_utime + used.ru_stime, watch.memory, watch.temporary, note.strip().splitlines()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="neardup")
    parser.add_argument("sizes", nargs="+", help="sizes of the texts, as 500M or 10G")
    parser.add_argument("--memory", default="1G")
    parser.add_argument("--threads", default="1")
    options = parser.parse_args()
    largest = max(map(size_of, options.sizes))
    with tempfile.TemporaryDirectory() as folder:
        if shutil.disk_usage(folder).free < 4 * largest:
            raise SystemExit(f"{folder} has not enough space: TMPDIR names another folder")
        texts, output = pathlib.Path(folder, "texts"), pathlib.Path(folder, "output")
        print("| texts | command | CPU s | ns a byte | MB | temporary MB | note |\n|---|---|---|---|---|---|---|")
        for size in options.sizes:
            share = write_texts(texts, size_of(size))
            print(f"{size}: {share:.0%} of the words are copies", file=sys.stderr)
            for name, command in (
                ("`unique --passages 50`", ("unique", "--passages", "50")),
                ("`unique --passages bytes:100`", ("unique", "--passages", "bytes:100")),
                ("`passages --length 50`", ("passages", "--length", "50")),
            ):
                seconds, memory, temporary, note = measure(
                    [options.program, command[0], "--lines", *command[1:], "--memory", options.memory, "--threads", options.threads,
                     "--output", output, texts]
                )
                print(f"| {size} | {name} | {seconds:.1f} | {1e9 * seconds / texts.stat().st_size:.1f} | {memory / 1e6:.0f} "
                      f"| {temporary / 1e6:.0f} | {note} |", flush=True)
                output.unlink()


if __name__ == "__main__":
    main()
