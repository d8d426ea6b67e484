"""Reads a page back as a person would copy it: tables by caption, tiles by name, money as numbers."""

import re
from collections import defaultdict
from decimal import Decimal
from html.parser import HTMLParser

MONEY = re.compile(r"(-?[\d,]+(?:\.\d+)?)\s([A-Z]{3})\b")


class Table:
    def __init__(self, classes):
        self.classes, self.caption, self.heads, self.rows, self.ids = classes, "", [], [], []

    def by_name(self):
        return [dict(zip(self.heads, row, strict=True)) for row in self.rows]


class Page(HTMLParser):
    """Its tables, its tiles, and all its words."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.tiles, self.words = [], {}, []
        self.open, self.into, self.section, self.term = None, None, None, None
        self.silent = 0
        self.feed(text)
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        match tag:
            case "table":
                self.open = Table(attributes.get("class", ""))
                self.tables.append(self.open)
            case "caption" | "dt" | "dd":
                self.into = []
            case "thead" | "tbody":
                self.section = tag
            case "tr" if self.section == "tbody" and self.open:
                self.open.rows.append([])
                self.open.ids.append(attributes.get("id", ""))
            case "th" | "td":
                self.into = []
            case "br" if self.into is not None:
                self.into.append("\n")
            case "p" if self.into:
                self.into.append("\n")
            case "style" | "script" | "title":
                self.silent += 1

    def handle_endtag(self, tag):
        match tag:
            case "caption" if self.open:
                self.open.caption = self.taken()
            case "dt":
                self.term = self.taken()
            case "dd":
                self.tiles.setdefault(self.term, self.taken())
            case "th" if self.section == "thead" and self.open:
                self.open.heads.append(self.taken())
            case "th" | "td" if self.open:
                self.open.rows[-1].append(self.taken())
            case "table":
                self.open = self.section = None
            case "style" | "script" | "title":
                self.silent -= 1

    def handle_data(self, text):
        if self.silent:
            return
        self.words.append(text)
        if self.into is not None:
            self.into.append(text.replace("\n", " "))

    def taken(self):
        text, self.into = "".join(self.into or []), None
        lines = (" ".join(line.replace("\u00a0", " ").split()) for line in text.split("\n"))
        return "\n".join(line for line in lines if line)

    def called(self, *captions):
        """The tables of these captions, in order."""
        return [table for table in self.tables if table.caption in captions]


def money(text):
    """`1,204.50 CAD` and more of the like, by currency."""
    found = defaultdict(Decimal)
    for amount, currency in MONEY.findall(text):
        found[currency] += Decimal(amount.replace(",", ""))
    return dict(found)


def count(text):
    return int(text.replace(",", ""))
