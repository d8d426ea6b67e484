"""Looks at printed pages: no sentence and no row of a table goes on from one sheet of paper to the next,
and nothing is printed beyond its margin.

    python printed.py <page> <pdf of it> [<page> <pdf> ...]

Needs pdftotext, of poppler-utils.
"""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

# Elements that are hidden on paper, by class or id.
HIDDEN = {"note", "means", "none", "rates", "byage", "read", "wrong", "merchants", "final", "hidden"}
# In points; half of it is paper that printers reach.
MARGIN = 18
SILENT = ("style", "script", "title", "button")


class Sentences(HTMLParser):
    """The sentences of a page, and the cells of its rows of tables."""

    def __init__(self, text):
        super().__init__()
        self.found, self.path, self.into = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag in ("meta", "br", "rect", "line", "input"):
            return
        names = {word for _, text in attributes for word in (text or "").split()}
        self.path.append((tag, bool(names & HIDDEN) or tag in SILENT))
        if tag in ("p", "td") and self.into is None:
            self.into = (len(self.path), [])

    def handle_endtag(self, tag):
        if not self.path:
            return
        if self.into and len(self.path) == self.into[0]:
            if not any(hidden for _, hidden in self.path):
                self.found.append("".join(self.into[1]))
            self.into = None
        self.path.pop()

    def handle_data(self, text):
        if self.into and not any(hidden for _, hidden in self.path):
            self.into[1].append(text)


def plain(text):
    return re.sub(r"[\s\u00a0\u2060]+", "", text)


def faults(page, pdf):
    ran = subprocess.run(["pdftotext", "-raw", pdf, "-"], check=True, capture_output=True, text=True)
    sheets = [plain(sheet) for sheet in ran.stdout.split("\f")]
    whole = "".join(sheets)
    for sentence in map(plain, Sentences(page.read_text(encoding="utf-8")).found):
        # A sentence on no sheet is not printed at all; one that only the joined sheets contain is
        # torn.
        if sentence and sentence in whole and not any(sentence in sheet for sheet in sheets):
            yield f"torn between two sheets: {sentence[:80]}"
    boxes = subprocess.run(["pdftotext", "-bbox", pdf, "-"], check=True, capture_output=True, text=True)
    width = 0.0
    for line in boxes.stdout.splitlines():
        if size := re.search(r'<page width="([\d.]+)"', line):
            width = float(size[1])
        elif (right := re.search(r'xMax="([\d.]+)"', line)) and float(right[1]) > width - MARGIN:
            yield f"beyond the margin: {line.strip()[:120]}"


def main():
    pairs = list(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    wrong = [f"{pdf}: {fault}" for page, pdf in pairs for fault in faults(Path(page), pdf)]
    print("\n".join(wrong) or f"{len(pairs)} prints tear nothing and cut nothing")
    sys.exit(bool(wrong))


main()
