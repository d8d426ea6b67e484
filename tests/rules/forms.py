"""A service may write the same content in many forms: a world is played twice, plainly and in unusual
but valid forms, and every report is the same, byte for byte.
"""

import gzip
import json
import random
from urllib.parse import parse_qsl, urlsplit

from maker import Maker
from program import configure, differing, run_night, run_range, write_books
from service import answer
from world import seen_on

KINDS = ["application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8"]
KINDS += ["text/plain", "text/html", "application/octet-stream", None]
# Where a link leads to besides its cursor is nothing to go by.
PLACES = ["http://elsewhere.example/v1", "https://api.example:1/v1", "http://internal/v1", "/v1", ""]
PLACES += ["//elsewhere.example//v1", "http://elsewhere.example/v1/misspelt"]
UNKNOWN = [None, True, 1.5, "", "\u00fc\U0001f4b6", [], {"amount": 1, "status": "x"}, [{"data": []}]]


class Forms:
    """Draws a form for each request, whenever it comes."""

    def __init__(self, seed):
        self.seed = seed

    def __call__(self, world, head):
        target = head.split(" ")[1]
        path, asked = urlsplit(target).path, dict(parse_qsl(urlsplit(target).query))
        draw = random.Random(f"{self.seed} {target}")
        if "limit" in asked and draw.random() < 0.5:
            asked["limit"] = str(draw.randint(1, 4))
        status, body = answer(world, path, asked)
        if "links" in body:
            body["links"] = links(draw, body["links"], path, asked)
        return message(draw, status, text(draw, body).encode(), "gzip" in head.lower())


def links(draw, found, path, asked):
    """A next link that is written otherwise, among links to something else."""
    resource = path.removeprefix("/v1")
    written = []
    for link in found:
        cursor = dict(parse_qsl(urlsplit(link["href"]).query))["after"]
        query = [f"after={cursor}", "limit=3", *(f"{name}=x" for name in asked if name != "after")]
        draw.shuffle(query)
        href = draw.choice(PLACES) + resource + "?" + draw.choice(["&", "&&"]).join(query)
        method = draw.choice(["get", "GET", "Get", "post"])
        written.append({"rel": "next", "method": method, "href": href})
    for rel in ("previous", "self", "batch"):
        if draw.random() < 0.3:
            other = {"rel": rel, "method": "get", "href": f"{resource}?after=1&before=2"}
            written.insert(draw.randint(0, len(written)), other)
    return written


def text(draw, value):
    """JSON with the same content: in any order, spaced and escaped, with unknown keys."""
    if isinstance(value, dict):
        entries = list(value.items())
        entries += [(f"x{n}", draw.choice(UNKNOWN)) for n in range(draw.choice([0, 0, 0, 1, 2]))]
        draw.shuffle(entries)
        inside = [f"{text(draw, name)}{space(draw)}:{text(draw, one)}" for name, one in entries]
        written = "{" + ",".join(inside) + space(draw) + "}"
    elif isinstance(value, list):
        written = "[" + ",".join(text(draw, one) for one in value) + space(draw) + "]"
    elif isinstance(value, str):
        letters = (escaped(one) if draw.random() < 0.05 else json.dumps(one)[1:-1] for one in value)
        written = '"' + "".join(letters) + '"'
    else:
        written = json.dumps(value)
    return space(draw) + written + space(draw)


def escaped(letter):
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[n]:02X}{units[n + 1]:02x}" for n in range(0, len(units), 2))


def space(draw):
    return draw.choice(["", "", "", "", "", " ", "\n", "\t", "\r\n"])


def message(draw, status, body, takes_gzip):
    """An answer, and whether the connection ends with it."""
    fields = {"Content-Type": draw.choice(KINDS), "X-Request-Id": str(draw.random())}
    if takes_gzip and draw.random() < 0.3:
        body, fields["Content-Encoding"] = gzip.compress(body), "gzip"
    framing = draw.choice(["length", "length", "length", "chunks", "end"])
    version = draw.choice(["1.0", "1.1"]) if framing == "end" else "1.1"
    is_last = framing == "end" or draw.random() < 0.1
    if framing == "length":
        fields["Content-Length"] = len(body)
    elif framing == "chunks":
        fields["Transfer-Encoding"], body = "chunked", chunks(draw, body)
    if is_last and version == "1.1":
        fields["Connection"] = "close"
    written = [(name, value) for name, value in fields.items() if value is not None]
    draw.shuffle(written)
    case = draw.choice([str.lower, str.upper, str])
    head = [f"HTTP/{version} {status} {draw.choice(['OK', 'Fine', ''])}"]
    head += [f"{case(name)}:{draw.choice(['', ' ', '  '])}{value}" for name, value in written]
    early = "HTTP/1.1 103 Early Hints\r\n\r\n" if version == "1.1" and draw.random() < 0.05 else ""
    return (early + "\r\n".join(head) + "\r\n\r\n").encode() + body, is_last


def chunks(draw, body):
    written = []
    while body:
        size = draw.randint(1, len(body))
        written.append(b"%x%s\r\n%s\r\n" % (size, draw.choice([b"", b";a=b"]), body[:size]))
        body = body[size:]
    return b"".join(written) + b"0\r\n\r\n"


def play(seed, service, folder):
    """The violations, and the number of compared rows."""
    world = Maker(seed).make()
    world.later_terms = None
    folders, plainly = (folder / "plain", folder / "odd"), service.reply
    for one, reply in zip(folders, (plainly, Forms(seed)), strict=True):
        service.reply = reply
        wrong = run(seed, world, service, one)
        service.reply = plainly
        if wrong:
            return wrong, 0
    return [f"{file} differs" for file in differing(world, *folders)], len(world.days)


def run(seed, world, service, folder):
    """Runs all dates at once, or each in the night after it."""
    configure(folder, world, service.port)
    if seed % 2:
        wrong = []
        for day in world.days:
            wrong += run_night(world, service, folder, day)
        return wrong
    service.world = seen_on(world, world.end)
    write_books(service.world, folder)
    return run_range(world, folder)
