"""Finds the passage of a clue by trying each window of each text (examples/common/clues.hpp has the rule)."""

import re

WORD = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")


def longest_run(window, clue):
    """Returns the length of the longest common run of words, and the position in the window where it first begins."""
    for size in range(min(len(window), len(clue)), 0, -1):
        runs = {tuple(clue[i : i + size]) for i in range(len(clue) - size + 1)}
        for i in range(len(window) - size + 1):
            if tuple(window[i : i + size]) in runs:
                return size, i
    return 0, 0


def passage(clue, texts):
    """Returns the number of the text, the begin and end of the passage in characters, and the number of the clue's
    pairs of words in it. Returns None if no text has a word of the clue."""
    clue = [word.lower() for word in WORD.findall(clue)]
    width = max(2, len(clue) + len(clue) // 4)
    for size in (2, 1):
        features = lambda words, size=size: [tuple(words[i : i + size]) for i in range(len(words) - size + 1)]
        wanted, best = set(features(clue)), None
        for number, text in enumerate(texts):
            placed = list(WORD.finditer(text))
            for begin in range(max(1, len(placed) - width + 1)):
                window = placed[begin : begin + width]
                words = [word.group().lower() for word in window]
                own = features(words)
                common = len(wanted & set(own))
                if not common:
                    continue
                length, first = longest_run(words, clue)
                if best is None or (common, length) > best[:2]:
                    best = common, length, first, number, window, own
        if best is None:
            continue
        common, length, first, number, window, own = best
        left, right = 0, len(own) - 1
        while left < first and (own[left] not in wanted or own[left] in own[left + 1 : right + 1]):
            left += 1
        while right > first + length - size and (own[right] not in wanted or own[right] in own[left:right]):
            right -= 1
        return number, window[left].start(), window[right + size - 1].end(), common
    return None
