"""A service that answers wrongly accuses nobody and hides nothing: a world is played in two folders,
and in some nights of the second some requests are answered with what cannot be. A night that ends
with 0 has found what it should; one that does not says what it could not evaluate, and nothing else
that is not so. Run again when the service is well, every report is what it should be.
"""

import json
import random
from urllib.parse import parse_qsl, urlsplit

import kinds
from maker import Maker
from program import (
    configure,
    contents,
    differing,
    ending,
    morning_after,
    run_night,
    run_range,
    table,
    write_books,
)
from service import answer, message
from unknown import Comparison
from world import STRANGER, seen_on

# Of the wrong type wherever they stand, or no such day or number.
VALUES = [[], {}, [1], {"a": 1}, True, 1.5, 10**30, -(10**30), "2026-13-45", "x", ""]
# Where they would be an answer: there is no such operation, or no such record.
MEANT = {403, 404}
STATUSES = [400, 401, 403, 404, 408, 409, 429, 500, 501, 502, 503, 504]
REDIRECTS = [301, 302, 303, 307, 308]
GARBAGE = [b"", b"null", b"[]", b"1", b"<html>Error</html>", b"\xff\xfe{", b'{"data": [', b"{}"]
GARBAGE += [b'{"data": null}', b'{"data": [null]}', b'{"data": [[]]}', b'{"data": {"a": 1}}']
GARBAGE += [b"[" * 200_000, b'{"data": NaN}', b'{"data": [1]}']


class Faulty:
    """Draws what is wrong with which answers, whenever they come and for how many times."""

    def __init__(self, seed):
        draw = random.Random(f"faulty {seed}")
        self.seed, self.share = seed, draw.choice([0.01, 0.03, 0.1, 0.3])
        self.times = {}

    def __call__(self, world, head):
        target = head.split(" ")[1]
        path, asked = urlsplit(target).path, dict(parse_qsl(urlsplit(target).query))
        status, body = answer(world, path, asked)
        right = message(status, json.dumps(body).encode()), False
        draw = random.Random(f"{self.seed} {target}")
        times = self.times[target] = self.times.get(target, 0) + 1
        if path == "/authorize" or draw.random() > self.share:
            return right
        if times > draw.choice([1, 2, 3, 1000]):
            return right
        ways = [self.refused, self.redirected, self.cut, self.garbage]
        if status == 200:
            ways += [self.misstated, self.named_twice]
            ways += [self.contradicted, self.unending, self.miscounted] if "data" in body else []
        return draw.choice(ways)(draw, target, status, body)

    @staticmethod
    def refused(draw, target, *_):
        is_optional = "/transactions" in target or "/disputes" in target
        is_meant = is_optional or "?" not in target
        status = draw.choice([one for one in STATUSES if not (is_meant and one in MEANT)])
        body = {"type": "about:blank", "title": "No", "status": status}
        return message(status, json.dumps(body).encode(), "application/problem+json"), False

    @staticmethod
    def redirected(draw, target, *_):
        place = draw.choice(["http://127.0.0.1:9", "", "//127.0.0.1:9"])
        head = f"HTTP/1.1 {draw.choice(REDIRECTS)} -\r\nLocation: {place}{target}\r\n"
        return (head + "Content-Length: 0\r\n\r\n").encode(), False

    @staticmethod
    def cut(draw, _, status, body):
        whole = message(status, json.dumps(body).encode())
        return whole[: draw.randrange(len(whole))], True

    @staticmethod
    def garbage(draw, *_):
        return message(200, draw.choice(GARBAGE)), False

    @staticmethod
    def misstated(draw, _, status, body):
        """Something in a record is of the wrong type."""
        record = drawn_record(draw, body)
        if record:
            place, name = draw.choice(list(leaves(record)))
            is_word = isinstance(place[name], str) and "date" not in name.lower()
            values = [one for one in VALUES if not (is_word and isinstance(one, str))]
            place[name] = draw.choice(values)
        return message(status, json.dumps(body).encode()), False

    @staticmethod
    def named_twice(draw, _, status, body):
        """A key of a record stands there twice."""
        record = drawn_record(draw, body)
        name = f'"{draw.choice(list(record))}": ' if record else "{"
        doubled = json.dumps(body).replace(name, f"{name}1, {name}" if record else name, 1)
        return message(status, doubled.encode()), False

    @staticmethod
    def contradicted(draw, target, status, body):
        """A record is listed twice, and says two things. Two fees may be alike but for one."""
        if body["data"] and "fees" not in target:
            record = json.loads(json.dumps(draw.choice(body["data"])))
            places = [(place, name) for place, name in leaves(record) if type(place[name]) is int]
            place, name = draw.choice([one for one in places if not one[1].endswith("Id")])
            place[name] += 1
            body["data"].insert(draw.randint(0, len(body["data"])), record)
            body["count"] += 1
        return message(status, json.dumps(body).encode()), False

    @staticmethod
    def unending(draw, target, status, body):
        """There is more, and it is not said where, or only where one has been."""
        body["hasMore"] = True
        link = {"rel": "next", "method": "get", "href": target}
        body["links"] = draw.choice([[], [link], [link | {"rel": "self"}], None])
        return message(status, json.dumps(body).encode()), False

    @staticmethod
    def miscounted(draw, _, status, body):
        body["count"] = draw.choice([body["count"] + 1, body["count"] - 1, "many", 10**30])
        return message(status, json.dumps(body).encode()), False


def drawn_record(draw, body):
    # What became of a dispute is an array.
    records = body if isinstance(body, list) else body.get("data", [body])
    return draw.choice(records) if records else None


def leaves(record):
    """Where each value stands that is no object."""
    for name, value in record.items():
        if isinstance(value, dict):
            yield from leaves(value)
        else:
            yield record, name


class Heard(Comparison):
    """Rows may lack in the second folder where something was not evaluated. Of somebody who is not
    configured it is said that there is something, and not what."""

    def rows_of(self, folder, day, name):
        return [row for row in table(folder, day, name) if row["merchant_id"] != STRANGER]

    def tells_all(self, day):
        """What is there is listed. Held funds are told on the day of the payment and on no other."""
        full, partial = self.found(self.full, day), self.found(self.partial, day)
        for key, (status, *figures) in full.items():
            said, *said_figures = partial.get(key, ("nothing",))
            is_there = status in ("new", "open") and key[0] != "FUNDS_HELD"
            if is_there and (said not in ("new", "open") or said_figures != figures):
                self.wrong.append(f"{day} {key} is {status} {figures}, and {said} {said_figures}")

    def may_be_alone(self, _, is_in_full):
        return is_in_full and bool(self.untold)


def play(seed, service, folder):
    """What does not hold, and how many rows were compared."""
    world = Maker(seed).make()
    world.changes, world.later_terms = [], None
    draw, plainly = random.Random(f"nights {seed}"), service.reply
    nights = draw.sample(world.days, draw.randint(1, len(world.days)))
    folders, wrong = (folder / "well", folder / "ill"), []
    for one in folders:
        configure(one, world, service.port)
    for day in world.days:
        wrong += run_night(world, service, folders[0], day)
    codes, reply = [], Faulty(seed)
    for day in world.days:
        service.world = seen_on(world, day)
        write_books(service.world, folders[1])
        service.reply = reply if day in nights else plainly
        arguments = ["run", "--no-progress", "-q", "--date", str(day)]
        code, said = ending(folders[1], arguments, morning_after(day))
        codes.append(code)
        # What the processor does not say of a transfer is in the report alone.
        is_mute = code != 0 and not said and code not in kinds.endings(world)
        if code not in (0, 1, 4, 5) or is_mute:
            wrong.append(f"{day} ended with {code}: {said}")
    service.reply = plainly
    if wrong:
        return wrong, 0
    heard = Heard(world, *folders)
    compare(heard, codes, nights)
    wrong, service.world = heard.wrong, seen_on(world, world.end)
    for one in folders:
        write_books(service.world, one)
        wrong += run_range(world, one)
    wrong += [f"{file} differs when all is run again" for file in differing(world, *folders)]
    return wrong and [f"ill on {sorted(map(str, nights))}, {codes}", *wrong], heard.rows


def compare(heard, codes, nights):
    """Whether each night has said what it should, or what it could not evaluate; and the first good one
    after bad ones what they have missed. A night of which nothing could be read has yet to be run."""
    is_well, are_run = True, True
    for day, code in zip(heard.world.days, codes, strict=True):
        is_well, are_run = is_well and code == 0, are_run and code in (0, 4)
        if is_well and contents(heard.full, day) != contents(heard.partial, day):
            heard.wrong.append(f"{day} ended with 0, and is not as it should be")
        # Where nothing could be read there is no report.
        if code in (0, 4):
            heard.compare(day)
        if code == 0 and are_run and day not in nights:
            heard.tells_all(day)
