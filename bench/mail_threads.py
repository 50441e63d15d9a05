"""Writes a mail box of threads: bench/mail_threads.py FILE [THREADS [ANSWERS]]. Each answer quotes all mails before it,
in the way of one of several mail programs. About a third of the answers are short sentences. The others have random
words."""

import random
import sys

SHORT = ("I agree.", "Thanks!", "+1", "I do not agree.", "See below.", "Looks good to me.")


def quoted(text):
    return "".join(f"> {line}\n" for line in text.splitlines())


def answer(rng, own, before, style):
    wrote = "On Thu, 26 Nov 2026 at 10:15, Bob Example <bob@example.org> wrote:"
    fields = "From: Bob\nSent: Thursday, 26 November 2026 10:15\nTo: Ann\nSubject: RE: rivers\n"
    if style == "top":
        return f"{own}\n\n{wrote}\n{quoted(before)}"
    if style == "bottom":
        return f"{wrote}\n{quoted(before)}\n{own}\n"
    if style == "between":
        lines = before.splitlines()
        place = rng.randrange(len(lines) + 1)
        return f"{wrote}\n{quoted(chr(10).join(lines[:place]))}\n{own}\n\n{quoted(chr(10).join(lines[place:]))}"
    if style == "bare":
        return f"{own}\n\n{wrote}\n\n{before}\n"
    return f"{own}\n\n-----Original Message-----\n{fields}\n{before}\n"


def main(path, threads=100, answers=20):
    rng = random.Random(76)
    words = [f"w{i}" for i in range(5000)]
    with open(path, "w", encoding="ascii") as out:
        for thread in range(threads):
            text = "\n".join(" ".join(rng.choices(words, k=12)) for _ in range(8))
            for number in range(answers):
                own = rng.choice(SHORT) if rng.random() < 1 / 3 else " ".join(rng.choices(words, k=rng.randrange(10, 60)))
                if number > 0:
                    text = answer(rng, own, text, rng.choice(("top", "bottom", "between", "bare", "outlook")))
                out.write(f"From a@example.org Thu Nov 26 10:15:00 2026\nMessage-ID: <{thread}.{number}@example.org>\nSubject: rivers\n\n{text}\n\n")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
