#!/usr/bin/env python3
"""Makes the texts that bench/fingerprint.cpp measures with, from packages of Debian.

usage: bench/make_corpus.py [FOLDER]     (default: build/corpus)

FOLDER/en has 20 MB of English: manual pages (manpages, manpages-dev, perl-doc, git-man, systemd), and the licences of
this machine. FOLDER/zh has the lines with Chinese characters of manual pages (manpages-zh) and of The Debian
Administrator's Handbook (zh-CN, zh-TW), up to 20 MB. apt-get downloads the packages. They are unpacked, not installed.
Each document is a file without mark-up.
"""

import gzip
import html
import pathlib
import re
import subprocess
import sys
import tempfile

ENGLISH_BYTES = 20_000_000


def unpack(package, folder):
    """Downloads a package and unpacks it; does nothing if there is no such package."""
    target = folder / package
    subprocess.run(["apt-get", "-qq", "download", package], cwd=folder, check=False, stderr=subprocess.DEVNULL)
    for archive in folder.glob(package + "_*.deb"):
        subprocess.run(["dpkg-deb", "-x", archive, target], check=True)
        archive.unlink()
    return target


def plain_manual(text):
    """The text of a manual page, without roff's requests and escapes."""
    lines = []
    for line in text.splitlines():
        if line.startswith((".\\\"", "'\\\"")):
            continue
        if line.startswith((".", "'")):
            line = re.sub(r"^[.']\s*[A-Za-z]*\s?", "", line)
        line = re.sub(r"\\f(\(..|\[[^]]*\]|.)|\\[&|^%:/,]|\\s[-+]?\d+", "", line)
        line = re.sub(r"\\\(..|\\\[[^]]*\]", " ", line).replace("\\-", "-").replace("\\e", "\\")
        lines.append(line)
    return "\n".join(lines)


def plain_page(text):
    """The text of an HTML page."""
    text = re.sub(r"(?s)<(script|style|head)\b.*?</\1>", "", text)
    text = html.unescape(re.sub(r"<[^>]*>", "", text))
    return re.sub(r"\n\s*\n+", "\n", text)


def manuals(folder, language):
    for path in sorted((folder / "usr/share/man" / language).rglob("*.gz")):
        yield plain_manual(gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))


def write(documents, folder, limit):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.txt"):
        old.unlink()
    total = count = 0
    seen = set()
    for text in documents:
        if total >= limit or len(text) < 200 or text in seen:
            continue
        seen.add(text)
        data = text.encode()
        (folder / f"{count:05}.txt").write_bytes(data)
        total += len(data)
        count += 1
    characters = sum(len(text) for text in seen)
    print(f"{folder}: {count} documents, {total / 1e6:.1f} MB, {total / max(characters, 1):.2f} bytes a code point")


def main():
    corpus = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/corpus")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def english():
            for package in ("manpages", "manpages-dev", "perl-doc", "git-man", "systemd"):
                yield from manuals(unpack(package, folder), ".")
            for path in sorted(pathlib.Path("/usr/share/doc").glob("*/copyright")):
                yield path.read_text("utf-8", "replace")

        def lines_in_chinese(texts):
            for text in texts:
                lines = (re.sub(r"\s+", " ", line).strip() for line in text.splitlines())
                yield "\n".join(line for line in lines if re.search("[\u3400-\u9fff]", line))

        def chinese():
            yield from manuals(unpack("manpages-zh", folder), ".")
            book = unpack("debian-handbook", folder) / "usr/share/doc/debian-handbook/html"
            for path in sorted(book.glob("zh-*/*.html")):
                yield plain_page(path.read_text("utf-8", "replace"))

        write(english(), corpus / "en", ENGLISH_BYTES)
        write(lines_in_chinese(chinese()), corpus / "zh", ENGLISH_BYTES)


if __name__ == "__main__":
    main()
