#!/usr/bin/env bash
# What a night costs in shards, on this machine: requests, time, memory and disk of each shard and
# of the merge, and what a hundred million records a night come to at that rate.
#
#   benches/shards.sh [AUTHORIZATIONS] [MERCHANTS] [SHARDS]        defaults: 100000 200 4
#
# The shards run one after the other: on machines of their own they would not share the cores.
# Needs GNU time, sqlite3 is not needed. README.md says how it works.
set -euo pipefail
cd "$(dirname "$0")/.."

size=${1:-100000}
merchants=${2:-200}
shards=${3:-4}
before=2026-11-17
date=2026-11-18
port=18621

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
export TIEOUT_API__REQUESTS_PER_SECOND=0
export TIEOUT_API__BASE_URL="http://127.0.0.1:$port/v1" TIEOUT_API__AUTH_URL="http://127.0.0.1:$port"
world=(--seed 7 --from "$before" --to "$date" --merchants "$merchants")

"$tieout" sandbox generate "${world[@]}" --transactions-per-day "$size" --out "$work" >/dev/null
"$tieout" sandbox serve "${world[@]}" --transactions-per-day "$size" \
    --listen "127.0.0.1:$port" >"$work/serve.log" 2>&1 &
started+=($!)
until grep -q "serving on" "$work/serve.log" 2>/dev/null; do sleep 0.2; done

cd "$work"
kib() { du -sk "$@" | awk '{ sum += $1 } END { print sum }'; }
# Wall and processor seconds, peak KiB.
timed() {
    /usr/bin/time -f "%e %U %S %M" -o "$work/time" "$@" >"$work/out" 2>"$work/err" ||
        { cat "$work/err" >&2; exit 1; }
    awk '{ print $1, $2 + $3, $4 }' "$work/time"
}
pages() { # store date: what run.json of the date says
    python3 - "$1" "$2" <<'EOF'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
print(store.execute("select count(*) from page where reading_id in (select reading_id from reading"
    " where abs(session) in (select session from business_day where business_date = ?))",
    (sys.argv[2],)).fetchone()[0])
EOF
}
night() { # store, further arguments: the date before, then the date
    local store=$1
    shift
    "$tieout" run -q --no-progress --date "$before" --db "$store" --out "$work/parts" "$@" >/dev/null
    local kib_before
    kib_before=$(kib "$store")
    local took
    took=$(timed "$tieout" run -q --no-progress --date "$date" --db "$store" --out "$work/parts" "$@")
    echo "$took $(pages "$store" "$date") $(($(kib "$store") - kib_before))"
}
show() { awk -v what="$1" '{ printf "%-14s %9.2f %9.2f %9.0f %10d %12d\n", what, $1, $2, $3 / 1024, $4, $5 }'; }

echo "$size authorizations a date, $merchants merchants, with their books and bank statements"
printf '%-14s %9s %9s %9s %10s %12s\n' "" "wall s" "cpu s" "peak MiB" "pages" "store KiB"
whole=$(night "$work/whole.db"); echo "$whole" | show "in one"
cpu=0; requests=0; disk=0
for shard in $(seq "$shards"); do
    part=$(night "$work/shard-$shard.db" --shard "$shard/$shards")
    echo "$part" | show "shard $shard/$shards"
    read -r _ part_cpu _ part_pages part_kib <<<"$part"
    cpu=$(awk -v a="$cpu" -v b="$part_cpu" 'BEGIN { print a + b }')
    requests=$((requests + part_pages)); disk=$((disk + part_kib))
done
merge=$(timed "$tieout" merge "$work/shard-*.db" --date "$date" --out "$work/merged")
echo "$merge 0 $(kib "$work/merged")" | show "merge"
cmp "$work/parts/$date/matches.csv" "$work/merged/$date/matches.csv" && echo "matches.csv of both is the same"
echo
awk -v size="$size" -v cpu="$cpu" -v requests="$requests" -v disk="$disk" -v reports="$(kib "$work/merged")" 'BEGIN {
    scale = 1e8 / size
    printf "a hundred million a night, at this rate: %.1f million requests (%.1f h at 50 a second, %.1f h at 500),\n",
        requests * scale / 1e6, requests * scale / 50 / 3600, requests * scale / 500 / 3600
    printf "%.1f processor hours, %.0f GiB of stores and %.0f GiB of reports\n",
        cpu * scale / 3600, disk * scale / 1048576, reports * scale / 1048576
}'
