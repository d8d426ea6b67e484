"""Second opinions on the corpus: the libraries mt-940, bai2, ofxtools and csvkit agree with `tieout
bank check` on every line that both read. A library that refuses a file has no opinion. Prints a line a
file, ends with 1 on a difference.
"""

import csv
import datetime
import decimal
import io
import json
import logging
import os
import pathlib
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).parent / "corpus"
TIEOUT = os.environ.get("TIEOUT", "target/debug/tieout")
logging.disable(logging.CRITICAL)

# Where a library reads something else, with the reason.
KNOWN = {
    "csv-times.csv": "keeps moments as they are written, and we ask whose day they are",
    "csv-times-in-utc.csv": "keeps moments as they are written, and we ask whose day they are",
    "csv-time-beside-date.csv": "reads the date alone, and the time beside it makes another day of it",
    "csv-reversed-sign.csv": "keeps the sign that a setting turns",
    "ofx-without-signs.ofx": "takes a debit without a sign as money in",
    "mt940-reversal-in-its-direction.sta": "turns a reversal that the balances show in its direction",
    "ofx-without-signs-in-doubt.ofx": "takes a debit without a sign as money in",
}

# Columns of a CSV that csvkit knows nothing of.
BEYOND_CSV = {"direction", "debit", "credit"}


def toml(value):
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key, ensure_ascii=False)} = {toml(one)}" for key, one in value.items())
        return "{ " + ", ".join(pairs) + " }"
    return json.dumps(value, ensure_ascii=False)


def ours(case):
    settings = {"originators": ["Northwind Payments"], **case.get("settings", {})}
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "tieout.toml"
        keys = "".join(f"{key} = {toml(value)}\n" for key, value in settings.items())
        config.write_text(
            '[[merchants]]\nid = "1"\ncurrency = "USD"\nbank = "account"\n'
            f'[[banks]]\nname = "account"\npath = "bank/*"\n{keys}'
        )
        command = [TIEOUT, "--config", config, "bank", "check", "--json", HERE / case["file"]]
        ended = subprocess.run(command, capture_output=True, check=False)
    if not ended.stdout:
        sys.exit(f"{case['file']}: ended with {ended.returncode}: {ended.stderr.decode()}")
    found = json.loads(ended.stdout)
    if found["refused"]:
        return None
    return sorted((line["date"], decimal.Decimal(line["amount"])) for line in found["lines"])


def by_mt940(path):
    import mt940

    lines = mt940.parse(str(path))
    return [(str(datetime.date(*(getattr(one.data.get("entry_date") or one.data["date"], part)
                                 for part in ("year", "month", "day")))),
             one.data["amount"].amount) for one in lines]


def by_bai2(path):
    from bai2 import bai2
    from bai2.constants import TypeCodeTransaction

    lines = []
    for group in bai2.parse_from_string(path.read_text()).children:
        for account in group.children:
            for one in account.children:
                is_credit = one.type_code.transaction == TypeCodeTransaction.credit
                amount = decimal.Decimal(one.amount or 0) / 100
                date = str(group.header.as_of_date)
                lines.append((date, amount if is_credit else -amount))
    return lines


def by_ofx(path):
    from ofxtools.Parser import OFXTree

    tree = OFXTree()
    tree.parse(io.BytesIO(path.read_bytes()))
    found = tree.findall(".//STMTTRN")
    day = lambda text: f"{text[:4]}-{text[4:6]}-{text[6:8]}"
    return [(day(one.find("DTPOSTED").text), decimal.Decimal(one.find("TRNAMT").text))
            for one in found]


def by_csvkit(path):
    """csvkit cleans a CSV by its rules; a plain file keeps every row and cell."""
    cleaned = subprocess.run(
        [pathlib.Path(sys.executable).parent / "csvformat", path], capture_output=True, text=True
    )
    if cleaned.returncode:
        raise ValueError(cleaned.stderr)
    rows = list(csv.DictReader(io.StringIO(cleaned.stdout)))
    amount = lambda row: decimal.Decimal(row["Amount"])
    return [(row["Date"], amount(row)) for row in rows]


READERS = {".sta": by_mt940, ".bai": by_bai2, ".ofx": by_ofx, ".csv": by_csvkit}


def main():
    different = 0
    for case in tomllib.loads((HERE / "cases.toml").read_text())["case"]:
        path = HERE / case["file"]
        reader = READERS.get(path.suffix)
        mine = ours(case)
        if reader is None or mine is None:
            continue
        if path.suffix == ".csv" and BEYOND_CSV & set(case["settings"]["columns"]):
            continue
        try:
            theirs = sorted(reader(path))
        except Exception as error:  # noqa: BLE001 a library without an opinion
            print(f"{path.name}: no opinion ({type(error).__name__})")
            continue
        both = min(len(mine), len(theirs))
        if len(mine) != len(theirs):
            same = set(mine) & set(theirs)
            print(f"{path.name}: {len(mine)} lines, by the library {len(theirs)}, {len(same)} in both")
        elif mine == theirs:
            print(f"{path.name}: {both} lines agree")
        elif path.name in KNOWN:
            print(f"{path.name}: differs as known, the library {KNOWN[path.name]}")
        else:
            different += 1
            print(f"{path.name}: {mine} against {theirs}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
