//! The stories of the pages as a table: the initial state, and the commands in their order.

use super::stage::State;

/// Commands of one page that follow each other in one folder.
pub struct Story {
    pub page: &'static str,
    pub state: State,
    pub steps: &'static [Step],
}

/// A command as written on the page, and its expected result.
pub struct Step {
    pub command: &'static str,
    /// A preceding action that the page describes in words.
    pub before: &'static str,
    pub code: i32,
    /// A part of its output on either stream.
    pub says: &'static str,
    /// It does not end by itself, and answers on the address that it names.
    pub stays: bool,
}

const fn runs(command: &'static str) -> Step {
    Step { command, before: "", code: 0, says: "", stays: false }
}

const fn stays(command: &'static str) -> Step {
    Step { stays: true, ..runs(command) }
}

impl Step {
    const fn after(self, before: &'static str) -> Self {
        Self { before, ..self }
    }

    const fn ends(self, code: i32) -> Self {
        Self { code, ..self }
    }

    const fn says(self, says: &'static str) -> Self {
        Self { says, ..self }
    }
}

const INIT: &str = "tieout init --discover --base-url https://api.example.com/v1 \
                    --auth-url https://identity.example.com --api-key-file /run/secrets/api_key";

pub const STORIES: &[Story] = &[
    Story {
        page: "README.md",
        state: State::Key,
        steps: &[
            runs(INIT).says("3 merchants"),
            runs("tieout doctor").says("ok"),
            runs("tieout run --fail-on error").says("2026-11-22"),
            stays("tieout schedule --health 127.0.0.1:9464"),
        ],
    },
    Story {
        page: "README.md",
        state: State::Week,
        steps: &[
            runs("tieout discrepancies list").says("90c3d1e2"),
            runs("tieout discrepancies show 90c3d1e2").says("90c3d1e2"),
            runs(
                "tieout discrepancies accept 90c3d1e2 --by \"Anna Example\" --note \"waived, case 812\"",
            ),
            runs("tieout close 2026-11-20 --by \"Anna Example\" --note \"seen with finance\"").says("2026-11-20"),
            runs("tieout verify reports").says("agrees"),
        ],
    },
    Story {
        page: "README.md",
        state: State::Nothing,
        steps: &[
            runs("tieout sandbox generate --seed 7 --plant all --out world"),
            stays("tieout sandbox serve --world world/world.json"),
            runs(
                "TIEOUT_API_KEY=sandbox-key tieout run --config world/tieout.toml --date 2026-11-02..2026-11-08",
            )
            .says("2026-11-08"),
        ],
    },
    Story {
        page: "docs/dataset.md",
        state: State::Week,
        steps: &[
            runs("tieout export --to lake").says("lake"),
            runs("tieout export --to lake --date 2026-11-20").says("1 date exported"),
        ],
    },
    Story {
        page: "docs/discrepancies.md",
        state: State::Week,
        steps: &[
            runs("tieout discrepancies list --status new,open --min-amount 100"),
            runs("tieout discrepancies show 90c3d1e2").says("90c3d1e2"),
            runs(
                "tieout discrepancies assign 90c3d1e2 --to \"Anna Example\" --ticket FIN-812 --due 2026-12-01",
            ),
            runs(
                "tieout discrepancies accept 90c3d1e2 --by \"Anna Example\" --note \"waived, case 812\" --until 2026-12-31",
            ),
            runs(
                "tieout discrepancies reopen 90c3d1e2 --by \"Anna Example\" --note \"not waived after all\"",
            ),
            runs("tieout close 2026-11-20 --by \"Anna Example\" --note \"seen with finance\"").says("2026-11-20"),
            runs("tieout reopen 2026-11-20 --by \"Anna Example\" --note \"late statement\""),
        ],
    },
    Story {
        page: "docs/evidence.md",
        state: State::Configured,
        steps: &[
            runs("openssl genpkey -algorithm ed25519 -out key.pem"),
            runs("openssl pkey -in key.pem -pubout -out public.pem"),
            runs("tieout verify reports")
                .after("TIEOUT_EVIDENCE__SIGNING_KEY_FILE=key.pem tieout run -q")
                .says("agrees"),
            runs("tieout verify reports --public-key public.pem").says("agrees"),
        ],
    },
    Story {
        page: "docs/first-night.md",
        state: State::Key,
        steps: &[runs(INIT), runs("tieout doctor").says("ok"), runs("tieout run")],
    },
    Story {
        page: "docs/shards.md",
        state: State::Configured,
        steps: &[
            runs("tieout run --shard 1/3 --db shard-1.db"),
            runs("tieout run --shard 2/3 --db shard-2.db"),
            runs("tieout run --shard 3/3 --db shard-3.db"),
            runs("tieout merge shard-*.db --out reports").says("2026-11-22"),
        ],
    },
    // As the service's user.
    Story {
        page: "deploy/README.md",
        state: State::Week,
        steps: &[
            runs("sudo -u tieout tieout doctor --config /etc/tieout/tieout.toml").says("ok"),
            runs("sudo -u tieout tieout status --config /etc/tieout/tieout.toml").says("2026-11-22"),
            runs(
                "sudo -u tieout tieout run --config /etc/tieout/tieout.toml --date -3d..yesterday",
            )
            .says("2026-11-20"),
            runs(
                "sudo -u tieout tieout close 2026-11-20 --by \"Anna Example\" --note \"seen with finance\" --config /etc/tieout/tieout.toml",
            ),
            runs("tieout prune --older-than 400d --dry-run").says("would be removed"),
            runs("tieout prune --older-than 400d --by \"Anna Example\"").says("removed"),
        ],
    },
    // In a cluster.
    Story {
        page: "deploy/README.md",
        state: State::Week,
        steps: &[
            runs(
                "cp -r deploy/kubernetes/overlays/example deploy/kubernetes/overlays/ours",
            ),
            runs("kubectl apply -k deploy/kubernetes/overlays/ours")
                .after("echo not-a-key > deploy/kubernetes/overlays/ours/api_key"),
            runs("kubectl -n tieout exec tieout-files-0 -- mkdir -p /books/ledger"),
            runs(
                "kubectl -n tieout cp ledger/2026-11.csv tieout-files-0:/books/ledger/2026-11.csv.part",
            )
            .after("mkdir ledger; echo id,date,amount > ledger/2026-11.csv"),
            runs(
                "kubectl -n tieout exec tieout-files-0 -- mv /books/ledger/2026-11.csv.part /books/ledger/2026-11.csv",
            ),
            runs("deploy/kubernetes/by-hand status").says("2026-11-22"),
            runs("deploy/kubernetes/by-hand doctor").says("ok"),
            runs("deploy/kubernetes/by-hand run --date -3d..yesterday").says("2026-11-20"),
            runs(
                "deploy/kubernetes/by-hand discrepancies accept 90c3d1e2 --by \"Anna Example\" --note \"waived, case 812\"",
            ),
            runs("deploy/kubernetes/by-hand close 2026-11-20 --by \"Anna Example\" --note \"seen with finance\""),
            runs("deploy/kubernetes/by-hand verify /published/reports").says("agrees"),
            runs("deploy/kubernetes/by-hand backup --to /backups --check")
                .after("tieout backup -q --to backups --keep 35")
                .says("is whole: restore this one"),
            runs("deploy/kubernetes/by-hand prune --older-than 400d --dry-run"),
        ],
    },
    Story {
        page: "deploy/README.md",
        state: State::Week,
        steps: &[
            runs("kubectl -n tieout exec deploy/tieout-schedule -- /tieout status")
                .says("2026-11-22"),
            runs(
                "kubectl -n tieout exec deploy/tieout-schedule -- /tieout close 2026-11-20 --by \"Anna Example\" --note \"seen with finance\"",
            ),
        ],
    },
    // The store of the cluster is lost after a copy of the 20th.
    Story {
        page: "deploy/README.md",
        state: State::Configured,
        steps: &[
            runs("kubectl -n tieout exec tieout-files-0 -- ls -l /backups")
                .after(
                    "tieout run -q --date 2026-11-16..2026-11-20; \
                     TIEOUT_NOW=2026-11-20T14:30:00Z tieout backup backups/; \
                     tieout run -q --date 2026-11-21..2026-11-22; \
                     echo broken > tieout.db",
                )
                .says("tieout-2026-11-20T143000Z.db"),
            runs(
                "kubectl -n tieout cp tieout-files-0:/backups/tieout-2026-11-20T143000Z.db tieout-2026-11-20T143000Z.db",
            ),
            runs("deploy/kubernetes/by-hand --from tieout-restore tieout-2026-11-20T143000Z.db")
                .says("is the copy"),
            runs("deploy/kubernetes/by-hand run --date 2026-11-21..yesterday").says("2026-11-22"),
        ],
    },
    // The same on one machine.
    Story {
        page: "deploy/README.md",
        state: State::Configured,
        steps: &[
            runs("tieout backup --to /backups --keep 35")
                .after(
                    "tieout run -q --date 2026-11-16..2026-11-20; \
                     TIEOUT_NOW=2026-11-20T05:30:00Z tieout backup backups/; \
                     tieout run -q --date 2026-11-21..2026-11-22",
                )
                .says("tieout-2026-11-23T120000Z.db is a whole copy"),
            runs("tieout backup --to /backups --check")
                .after("truncate -s 100K backups/tieout-2026-11-23T120000Z.db")
                .ends(1)
                .says("/backups/tieout-2026-11-20T053000Z.db is whole: restore this one"),
            runs("mkdir aside && mv tieout.db* aside/").after(
                "tieout close 2026-11-19 --by Anna --note seen; echo broken > tieout.db",
            ),
            runs("cp -r reports aside/"),
            runs("cp /backups/tieout-2026-11-20T053000Z.db tieout.db"),
            runs("tieout verify reports").ends(1).says("the audit trail was rewritten since"),
            runs("tieout run --date 2026-11-21..yesterday").says("2026-11-22"),
            runs("tieout report --date 2026-11-16..2026-11-20")
                .after("grep -q Anna reports/2026-11-19/report.html"),
            runs("tieout verify reports").says("2026-11-19  agrees"),
        ],
    },
    // On another machine: of the old one there are the copies, the configuration and the key.
    Story {
        page: "deploy/README.md",
        state: State::Configured,
        steps: &[
            runs("tieout backup --to /backups --check")
                .after(
                    "tieout run -q --date 2026-11-16..2026-11-20; \
                     tieout close 2026-11-16 --by Anna --note seen; \
                     TIEOUT_NOW=2026-11-20T05:30:00Z tieout backup backups/; \
                     tieout run -q --date 2026-11-21..2026-11-22; \
                     mv reports lost; rm tieout.db*",
                )
                .says("/backups/tieout-2026-11-20T053000Z.db is whole: restore this one"),
            runs("cp /backups/tieout-2026-11-20T053000Z.db tieout.db"),
            runs("tieout status").says("2026-11-20"),
            runs("tieout report --date 2026-11-16..2026-11-20"),
            runs("tieout run --date 2026-11-21..yesterday").says("2026-11-22"),
            runs("tieout verify reports")
                .after(
                    "for date in lost/2026-*; do for file in $date/*.csv; do \
                     cmp $file reports/${file#lost/}; done; done",
                )
                .says("agrees"),
        ],
    },
    // Shards, on machines and in a cluster.
    Story {
        page: "deploy/README.md",
        state: State::Configured,
        steps: &[
            runs("tieout merge shard-*.db --out reports")
                .after(
                    "for shard in 1 2 3; do \
                     tieout run -q --shard $shard/3 --db shard-$shard.db --date -2d..yesterday; done",
                )
                .says("2026-11-21"),
            runs("tieout merge shard-*.db --out reports --date yesterday").says("2026-11-22"),
            runs(
                "cp -r deploy/kubernetes/overlays/backfill deploy/kubernetes/overlays/our-backfill",
            ),
            runs("kubectl apply -k deploy/kubernetes/overlays/our-backfill")
                .after("echo not-a-key > deploy/kubernetes/overlays/our-backfill/api_key"),
        ],
    },
];
