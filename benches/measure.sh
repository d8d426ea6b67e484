# What the benchmarks against other programs share; sourced, with `world` and `size` set.
# A server of a made-up world, nginx before it that keeps every answer in a file, and the clock.

readonly sandbox_port=18611 slow_port=18612 nginx_port=18613
[ -n "${TIEOUT:-}" ] || cargo build --profile dist --locked
tieout=$(realpath "${TIEOUT:-${CARGO_TARGET_DIR:-target}/dist/tieout}")
venv=${PEER_VENV:-target/peer-venv}
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
"$venv/bin/python" -c 'import aiohttp, msgspec, polars' 2>/dev/null ||
    "$venv/bin/pip" install --quiet aiohttp msgspec polars
work=$(mktemp -d)
started=()
finish() {
    for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
    rm -rf "$work"
}
trap finish EXIT

export TIEOUT_NOW=2026-12-01T12:00:00Z TIEOUT_API_KEY=sandbox-key
export TIEOUT_API__REQUESTS_PER_SECOND=0 TIEOUT_API__PAGE_SIZE=100 TIEOUT_API__MAX_IN_FLIGHT=16
serve() { # port delay
    "$tieout" sandbox serve "${world[@]}" --transactions-per-day "$size" \
        --no-transactions --listen "127.0.0.1:$1" --delay-ms "$2" >"$work/serve-$1.log" 2>&1 &
    started+=($!)
    until grep -q "serving on" "$work/serve-$1.log" 2>/dev/null; do sleep 0.2; done
}

# nginx keeps every answer in a file and serves it from there from then on.
cat >"$work/nginx.conf" <<EOF
daemon off;
user $(id -un) $(id -gn);
worker_processes 1;
pid $work/nginx.pid;
error_log $work/nginx-error.log;
events { worker_connections 256; }
http {
    log_format uri '\$request_method \$request_uri \$status \$upstream_cache_status';
    access_log $work/access.log uri buffer=64k flush=100ms;
    client_body_temp_path $work/body;
    proxy_temp_path $work/proxy;
    fastcgi_temp_path $work/fastcgi;
    uwsgi_temp_path $work/uwsgi;
    scgi_temp_path $work/scgi;
    proxy_cache_path $work/cache levels=1:2 keys_zone=pages:32m max_size=8g inactive=1d;
    keepalive_requests 100000000;
    sendfile on;
    tcp_nopush off;
    server {
        listen 127.0.0.1:$nginx_port;
        location / {
            proxy_pass http://127.0.0.1:$sandbox_port;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_cache pages;
            proxy_cache_methods GET HEAD POST;
            proxy_cache_key "\$request_method\$request_uri";
            proxy_cache_valid 200 404 1d;
            proxy_ignore_headers Cache-Control Expires Vary Set-Cookie;
        }
    }
}
EOF

static() { # from the sandbox's answers
    nginx -c "$work/nginx.conf" -e "$work/nginx-error.log" -p "$work" &
    started+=($!)
    sleep 0.5
}

timed() { # wall, processor seconds, KiB
    /usr/bin/time -f "%e %U %S %M" -o "$work/time" "$@" >"$work/out" 2>"$work/err" ||
        { cat "$work/err" >&2; exit 1; }
    awk '{ print $1, $2 + $3, $4 }' "$work/time"
}

median() { sort -n | awk '{ line[NR] = $0 } END { print line[int((NR + 1) / 2)] }'; }
measured() { for _ in $(seq "$runs"); do "$@"; done | median; }
show() { awk -v what="$1" '{ printf "%-36s %8.2f %8.2f %8.0f\n", what, $1, $2, $3 / 1024 }'; }
ratio() { awk -v a="$2" -v b="$3" -v what="$1" 'BEGIN { printf "%-36s %8.2f\n", what, a / b }'; }
field() { echo "$1" | cut -d' ' -f"$2"; }
