#!/usr/bin/env python3
"""What reading other people's files costs: `ledger check` of a CSV and of a workbook, `bank check` of
statements of 100,000 lines. Prints processor time and peak memory, the median of three, and beside
them what Python's csv and calamine alone take for the same files.

    cargo build --release && pip install openpyxl python-calamine && benches/files.py [MEGABYTES]
"""

import datetime
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

MEGABYTES = int(sys.argv[1]) if len(sys.argv) > 1 else 200
LINES = 100_000
TIEOUT = os.path.abspath(os.environ.get("TIEOUT", "target/release/tieout"))
CONFIGURATION = """[[merchants]]
id = "1"
currency = "USD"
bank = "account"
ledger = "books"
[[ledgers]]
name = "books"
path = "books/*"
columns = { id = "Invoice", kind = "Type", date = "Date", amount = "Amount", currency = "Cur", \
order_id = "Order", reference = "Ref", last4 = "Last4", status = "Status" }
[[banks]]
name = "account"
path = "bank/*"
originators = ["Northwind"]
"""


def amount(number):
    return f"{number % 1000 + 1}.45"


def books(path):
    with path.open("w") as out:
        out.write("Invoice,Type,Date,Amount,Cur,Order,Ref,Last4,Status\n")
        number = 0
        while out.tell() < MEGABYTES * 1_000_000:
            for _ in range(10_000):
                number += 1
                out.write(f"INV-{number:08},payment,2026-11-{number % 28 + 1:02},{amount(number)},"
                          f"USD,ORD-{number:08},{6_000_000 + number},{number % 10_000:04},paid\n")


def workbook(path):
    import openpyxl
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(["Invoice", "Type", "Date", "Amount", "Cur", "Order", "Ref", "Last4", "Status"])
    for number in range(LINES):
        day = datetime.date(2026, 11, number % 28 + 1)
        sheet.append([f"INV-{number:08}", "payment", day, number % 1000 + 1.45, "USD",
                      f"ORD-{number:08}", 6_000_000 + number, f"{number % 10_000:04}", "paid"])
    book.save(path)


def camt(path):
    cents = sum((number % 1000 + 1) * 100 + 45 for number in range(LINES))
    balance = lambda code, value, date: (
        f'<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy="USD">{value}</Amt>'
        f"<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{date}</Dt></Dt></Bal>")
    with path.open("w") as out:
        out.write("<Document><BkToCstmrStmt><Stmt><Id>S</Id><Acct><Id><IBAN>NL00BANK0000123456"
                  "</IBAN></Id></Acct>" + balance("OPBD", "0.00", "2026-11-03")
                  + balance("CLBD", f"{cents // 100}.{cents % 100:02}", "2026-11-04"))
        for number in range(LINES):
            out.write(
                f'<Ntry><Amt Ccy="USD">{amount(number)}</Amt><CdtDbtInd>CRDT</CdtDbtInd>'
                f"<Sts>BOOK</Sts><BookgDt><Dt>2026-11-04</Dt></BookgDt><AcctSvcrRef>REF{number}"
                f"</AcctSvcrRef><NtryDtls><TxDtls><RltdPties><Dbtr><Nm>Customer {number}</Nm></Dbtr>"
                f"</RltdPties><RmtInf><Ustrd>Invoice {number}</Ustrd></RmtInf></TxDtls></NtryDtls>"
                "</Ntry>\n")
        out.write("</Stmt></BkToCstmrStmt></Document>")


def ofx(path):
    with path.open("w") as out:
        out.write("OFXHEADER:100\n\n<OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD\n"
                  "<BANKACCTFROM><ACCTID>000123456</BANKACCTFROM>\n"
                  "<BANKTRANLIST><DTSTART>20261101<DTEND>20261106\n")
        for number in range(LINES):
            out.write(f"<STMTTRN>\n<TRNTYPE>CREDIT\n<DTPOSTED>20261104\n<TRNAMT>{amount(number)}\n"
                      f"<FITID>F{number}\n<NAME>Customer {number}\n<MEMO>Invoice {number}\n"
                      "</STMTTRN>\n")
        out.write("</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>\n")


def measured(command):
    """Processor seconds and peak KiB of a command."""
    with open(os.devnull, "wb") as nothing:
        process = subprocess.Popen(command, stdout=nothing, stderr=nothing)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


READ_CSV = "import csv, sys\nfor row in csv.reader(open(sys.argv[1], newline='')): pass"
READ_WORKBOOK = """import sys
from python_calamine import CalamineWorkbook
CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0)"""


def shown(command):
    """Processor seconds in the middle of three runs; printed with the peak of memory."""
    runs = [measured(command) for _ in range(3)]
    seconds = statistics.median(run[0] for run in runs)
    print(f"{seconds:6.2f} s {max(run[1] for run in runs) // 1024:5} MiB", end="")
    return seconds


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "tieout.toml").write_text(CONFIGURATION)
        for kind, name, write, alone in [
            ("ledger", "books.csv", books, READ_CSV), ("ledger", "books.xlsx", workbook, READ_WORKBOOK),
            ("bank", "statement.xml", camt, None), ("bank", "statement.ofx", ofx, None),
        ]:
            path = folder / name
            write(path)
            print(f"{kind} check {name}, {path.stat().st_size / 1e6:.0f} MB: ", end="", flush=True)
            own = shown([TIEOUT, "--config", folder / "tieout.toml", kind, "check", path])
            if alone:
                print("; alone: ", end="", flush=True)
                other = shown([sys.executable, "-c", alone, path])
                print(f"; ratio {own / other:.2f}", end="")
            print()
            path.unlink()


main()
