#!/usr/bin/env bash
# Five dates with books, as one backfill into a new store: the job and the same in Python, from static
# files, in turns. Before its first date the job needs the days of the window, which the world has as
# well: Python reads and matches them too.
#
#   benches/books.sh [AUTHORIZATIONS A DATE] [RUNS]        defaults: 20000 5
#
# Needs nginx, python3 with venv, and GNU time; README.md says how it works.
set -euo pipefail
cd "$(dirname "$0")/.."

size=${1:-20000}
runs=${2:-5}
window=2026-11-10
first=2026-11-16
last=2026-11-20
world=(--seed 7 --from "$first" --to "$last" --merchants 20)
source benches/measure.sh

job() { # formats
    rm -f "$work"/night.db*
    rm -rf "$work/reports"
    TIEOUT_API__BASE_URL="http://127.0.0.1:$nginx_port/v1" \
        TIEOUT_API__AUTH_URL="http://127.0.0.1:$nginx_port" TIEOUT_REPORTS__FORMATS="$1" \
        timed "$tieout" run --no-progress -q --date "$first..$last" \
        --config "$work/tieout.toml" --db "$work/night.db" --out "$work/reports"
}

peer() {
    rm -f "$work"/peer.db*
    timed "$venv/bin/python" benches/peer/books.py "http://127.0.0.1:$nginx_port/v1" \
        "http://127.0.0.1:$nginx_port" "$work/tieout.toml" "$window" "$last" "$work/books.csv" "$work"
}

"$tieout" sandbox generate "${world[@]}" --transactions-per-day "$size" --out "$work" >/dev/null
sed -i -e '/^bank = /d' -e '/^\[\[banks\]\]/,$d' "$work/tieout.toml"
serve "$sandbox_port" 0
static
job csv >/dev/null
# The made-up ledgers are of a dozen kinds: both read the same records from one plain file.
"$venv/bin/python" - "$work" "$window" <<'PYTHON'
import csv, re, sqlite3, sys
work, window = sys.argv[1:]
rows = sqlite3.connect(work + "/night.db").execute("""
    select merchant_id, ledger_id, kind, date, amount_minor, currency, order_id, reference,
        last4, status
    from ledger_record where date >= ? order by date, merchant_id, ledger_id
""", [window])
exponents = {"JPY": 0}
with open(work + "/books.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow("merchant id kind date amount currency order reference last4 status".split())
    for merchant, name, kind, date, minor, currency, *rest in rows:
        places = exponents.get(currency, 2)
        amount = f"{minor / 10 ** places:.{places}f}"
        out.writerow([merchant, name, kind, date, amount, currency, *rest])
text = open(work + "/tieout.toml").read()
text = re.sub(r"(?ms)^\[\[ledgers\]\].*?(?=^\[\[(?!ledgers)|\Z)", "", text)
text = re.sub(r'(?m)^ledger = .*$', 'ledger = "books"', text)
columns = dict(id="id", kind="kind", date="date", amount="amount", currency="currency",
    order_id="order", reference="reference", last4="last4", status="status", merchant="merchant")
text += f'\n[[ledgers]]\nname = "books"\npath = "{work}/books.csv"\n[ledgers.columns]\n'
text += "".join(f'{key} = "{name}"\n' for key, name in columns.items())
open(work + "/tieout.toml", "w").write(text)
PYTHON
job csv >/dev/null
peer >/dev/null
cat "$work/err"
echo "$((11 * size)) authorizations, $(wc -l <"$work/books.csv") ledger records and a header"
for _ in $(seq "$runs"); do
    job csv,json >>"$work/plain"
    job csv,json,html,xlsx >>"$work/all"
    peer >>"$work/python"
done
printf '%-36s %8s %8s %8s\n' "" "wall s" "cpu s" "peak MiB"
for what in plain all python; do median <"$work/$what" | show "$what"; done
of() { field "$(median <"$work/$1")" "$2"; }
ratio "csv and json / Python, wall" "$(of plain 1)" "$(of python 1)"
ratio "csv and json / Python, processor" "$(of plain 2)" "$(of python 2)"
ratio "all formats / Python, wall" "$(of all 1)" "$(of python 1)"
ratio "csv and json / Python, memory" "$(of plain 3)" "$(of python 3)"
