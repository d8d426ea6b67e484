#!/usr/bin/env bash
# How close the night comes to what the network allows: the job, a plain load tool that downloads
# the same pages, and the same night in Python, one after the other on this machine.
#
#   benches/fetch.sh [AUTHORIZATIONS] [RUNS]        defaults: 100000 3
#
# Needs nginx, wrk, python3 with venv, and GNU time; README.md says how it works.
set -euo pipefail
cd "$(dirname "$0")/.."

size=${1:-100000}
runs=${2:-3}
merchants=${MERCHANTS:-180}
delay_ms=${DELAY_MS:-50}
before=2026-11-17
date=2026-11-18

world=(--seed 7 --from "$before" --to "$date" --merchants "$merchants")
source benches/measure.sh

job() { # port date store
    TIEOUT_API__BASE_URL="http://127.0.0.1:$1/v1" TIEOUT_API__AUTH_URL="http://127.0.0.1:$1" \
        timed "$tieout" run --no-progress -q --date "$2" --config "$work/tieout.toml" \
        --db "$3" --out "$work/reports"
}

night() { # port
    rm -f "$work"/night.db*
    cp "$work/before.db" "$work/night.db"
    job "$1" "$date" "$work/night.db"
}

load() { # port
    token=$(curl -s -X POST -H "x-api-key: $TIEOUT_API_KEY" "http://127.0.0.1:$1/authorize" |
        sed 's/.*"access_token": *"\([^"]*\)".*/\1/')
    timed wrk --connections 16 --threads 1 --duration 600s --script benches/peer/load.lua \
        "http://127.0.0.1:$1" -- "$work/pages" "$token"
}

peer() { # port [evidence]
    rm -f "$work"/peer.db*
    timed "$venv/bin/python" benches/peer/night.py "http://127.0.0.1:$1/v1" \
        "http://127.0.0.1:$1" "$work/tieout.toml" "$date" "$work" "${@:2}"
}

"$tieout" sandbox generate "${world[@]}" --transactions-per-day 1 --out "$work" >/dev/null
# The processor's side alone: the ledgers and statements of that small world tell of another one.
sed -i -e '/^\[\[ledgers\]\]/,$d' -e '/^ledger = /d' -e '/^bank = /d' "$work/tieout.toml"
serve "$sandbox_port" 0
serve "$slow_port" "$delay_ms"
job "$sandbox_port" "$before" "$work/before.db" >/dev/null
static
# Once without measuring: every page becomes a file, and its address a line of the list.
night "$nginx_port" >/dev/null
sleep 0.5
grep '^GET' "$work/access.log" | awk '{ print $2 }' >"$work/pages"
peer "$nginx_port" >/dev/null

sent=$(wc -l <"$work/pages")
exist=$("$venv/bin/python" - "$work/night.db" <<'PYTHON'
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
print(store.execute("""
    -- Stretches of the long listing can store a page twice; of the others every page is one.
    select sum(case when listing.resource = 'authorizations' then max(1, (reading.records + 99) / 100)
        else (select count(*) from page where page.reading_id = reading.reading_id) end)
    from reading
    inner join listing on listing.listing_id = reading.listing_id
    where abs(reading.session) = (select max(session) from reading)
""").fetchone()[0])
PYTHON
)
echo "$size authorizations, $(grep -c authorizations "$work/pages") pages of them"
echo "$sent requests of the night for $exist pages that exist"
printf '%-36s %8s %8s %8s\n' "" "wall s" "cpu s" "peak MiB"
slow_load=$(measured load "$slow_port"); echo "$slow_load" | show "load tool, $delay_ms ms a response"
slow_job=$(measured night "$slow_port"); echo "$slow_job" | show "the job, $delay_ms ms"
fast_load=$(measured load "$nginx_port"); echo "$fast_load" | show "load tool, static files"
fast_job=$(measured night "$nginx_port"); echo "$fast_job" | show "the job, static files"
fast_peer=$(measured peer "$nginx_port" evidence); echo "$fast_peer" | show "Python, static files"
bare_peer=$(measured peer "$nginx_port"); echo "$bare_peer" | show "Python without evidence"
echo
ratio "job / load tool, $delay_ms ms" "$(field "$slow_job" 1)" "$(field "$slow_load" 1)"
ratio "job / load tool, static" "$(field "$fast_job" 1)" "$(field "$fast_load" 1)"
ratio "job / Python, wall, static" "$(field "$fast_job" 1)" "$(field "$fast_peer" 1)"
ratio "job / Python without evidence" "$(field "$fast_job" 1)" "$(field "$bare_peer" 1)"
ratio "requests / pages that exist" "$sent" "$exist"
ratio "job / Python, memory" "$(field "$fast_job" 3)" "$(field "$fast_peer" 3)"
ratio "the same without evidence" "$(field "$fast_job" 3)" "$(field "$bare_peer" 3)"
