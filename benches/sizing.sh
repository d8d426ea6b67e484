#!/usr/bin/env bash
# What a night takes on this machine, with the dataset and without: wall and processor time, peak memory,
# and what it leaves on the disk.
#
#   benches/sizing.sh [AUTHORIZATIONS] [RUNS]        defaults: 100000 3
#
# 180 merchants without books and bank, a key that has /transactions, the second night of a store, a server on the same cores.
# Prints medians of the runs, with and without in turns. Needs GNU time and python3.
set -euo pipefail
cd "$(dirname "$0")/.."

size=${1:-100000}
runs=${2:-3}
before=2026-11-17
date=2026-11-18
port=18641

[ -n "${TIEOUT:-}" ] || cargo build --release --locked
tieout=$(realpath "${TIEOUT:-${CARGO_TARGET_DIR:-target}/release/tieout}")
work=$(mktemp -d)
started=()
finish() {
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT

export TIEOUT_NOW=2026-12-01T12:00:00Z TIEOUT_API_KEY=sandbox-key
export TIEOUT_API__REQUESTS_PER_SECOND=0 TIEOUT_API__MAX_IN_FLIGHT=16
export TIEOUT_API__BASE_URL="http://127.0.0.1:$port/v1" TIEOUT_API__AUTH_URL="http://127.0.0.1:$port"
world=(--seed 7 --from "$before" --to "$date" --merchants 180 --transactions-per-day "$size")

"$tieout" sandbox generate "${world[@]:0:8}" --transactions-per-day 1 --out "$work" >/dev/null
# The processor's side alone: the ledgers and statements of that small world tell of another one.
sed -i -e '/^\[\[ledgers\]\]/,$d' -e '/^ledger = /d' -e '/^bank = /d' "$work/tieout.toml"
"$tieout" sandbox serve "${world[@]}" --listen "127.0.0.1:$port" >"$work/serve.log" 2>&1 &
started+=($!)
until grep -q "serving on" "$work/serve.log"; do sleep 0.2; done

cd "$work"
# Wall and processor seconds, peak MiB.
timed() {
    /usr/bin/time -f "%e %U %S %M" -o time "$@" >out 2>err || [ $? = 4 ] || { cat err >&2; exit 1; }
    awk '{ printf "%.2f %.2f %.0f\n", $1, $2 + $3, $4 / 1024 }' time
}
run() { timed "$tieout" run -q --no-progress --date "$1" --db "$2" --out reports; }
median() { sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
row() { # the night's name, its file of measurements
    printf '%-16s' "$1"
    for column in 1 2 3; do printf ' %9s' "$(awk -v c="$column" '{ print $c }' "$2" | median)"; done
    echo
}
kib() { du -sk --apparent-size "$@" | awk '{ sum += $1 } END { print sum }'; }

run "$before" before.db >/dev/null
"$tieout" export -q --db before.db --to lake >/dev/null
cp -r lake lake-before
for _ in $(seq "$runs"); do
    rm -f night.db*
    cp before.db night.db
    run "$date" night.db >>without
    rm -rf night.db* lake
    cp before.db night.db
    cp -r lake-before lake
    TIEOUT_EXPORT__DIR=$work/lake run "$date" night.db >>with
done
for _ in $(seq "$runs"); do
    timed "$tieout" export -q --db night.db --to lake --date "$date" >>alone
done

echo "$size authorizations a date"
printf '%-16s %9s %9s %9s\n' "" "wall s" "cpu s" "peak MiB"
row "a night" without
row "with the dataset" with
row "export alone" alone
"$tieout" export --json --db night.db --to lake --date "$date" >answer.json
python3 - "$(kib night.db)" "$(kib before.db)" "$(kib "reports/$date")" <<'EOF'
import json, sqlite3, sys

night, before, reports = map(int, sys.argv[1:])
bodies = [
    sqlite3.connect(name).execute("select coalesce(sum(length(content)), 0) from page_body").fetchone()[0]
    for name in ("night.db", "before.db")
]
answer = json.load(open("answer.json"))
print(f"store {(night - before) / 1024:.0f} MiB more, of it evidence {(bodies[0] - bodies[1]) / 2**20:.0f} MiB;"
      f" reports {reports / 1024:.0f} MiB")
print(f"dataset {answer['bytes'] / 2**20:.1f} MiB, {answer['rows']} rows,"
      f" {answer['bytes'] / answer['rows']:.1f} bytes a row")
EOF
