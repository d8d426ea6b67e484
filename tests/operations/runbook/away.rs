//! Commands of the pages that no test runs: they need things that a test machine lacks, or would
//! change it. If another test covers the command, the reason names it.

const RUNBOOK: &str = "deploy/README.md";
const SYSTEM: &str = "changes the system; deploy/check_package installs and uses the same files";
const CHART: &str = "needs a cluster and helm; deploy/check_chart renders the chart with helm";
const CLUSTER: &str =
    "needs a cluster; deploy/check puts the manifests together and validates them";

/// Page, command, reason.
pub const NOT_HERE: &[(&str, &str, &str)] = &[
    (
        "README.md",
        "cargo run --release -- demo",
        "a release build; a step of .ci/run runs the demonstration",
    ),
    ("README.md", "cargo test --workspace", "runs this test; a step of .ci/run"),
    (RUNBOOK, "cargo install --path . --locked", "a release build"),
    (RUNBOOK, "deploy/release", "a release build; a step of .ci/run makes and unpacks an archive"),
    (RUNBOOK, "deploy/package", "a release build; a step of .ci/run packs a debug build"),
    (RUNBOOK, "sudo apt install ./tieout_0.1.0-1_amd64.deb", SYSTEM),
    (RUNBOOK, "sudoedit /etc/tieout/tieout.toml", "opens an editor"),
    (RUNBOOK, "sudo systemctl enable --now tieout.timer", SYSTEM),
    (RUNBOOK, "sudo systemctl enable --now tieout-again.timer tieout-keep.timer", SYSTEM),
    (RUNBOOK, "sudo install -m 755 tieout /usr/local/bin/", SYSTEM),
    (
        RUNBOOK,
        "sudo useradd --system --user-group --home-dir /var/lib/tieout --shell /usr/sbin/nologin tieout",
        SYSTEM,
    ),
    (RUNBOOK, "sudo install -d -m 700 -o tieout -g tieout /var/lib/tieout", SYSTEM),
    (RUNBOOK, "sudo install -d -m 750 -g tieout /etc/tieout", SYSTEM),
    (RUNBOOK, "sudo install -m 640 -g tieout deploy/debian/tieout.toml /etc/tieout/", SYSTEM),
    (RUNBOOK, "sudo install -m 640 -g tieout api_key /etc/tieout/", SYSTEM),
    (RUNBOOK, "sudo install -m 640 -g tieout tieout.toml api_key /etc/tieout/", SYSTEM),
    (RUNBOOK, "sudo chown -R tieout:tieout /backups", "needs the user that the package makes"),
    (RUNBOOK, "sudo install -m 644 deploy/systemd/* /etc/systemd/system/", SYSTEM),
    (RUNBOOK, "sudo systemctl daemon-reload", SYSTEM),
    (RUNBOOK, "journalctl -u tieout", "needs systemd"),
    (
        RUNBOOK,
        "docker build -f deploy/Dockerfile --build-arg TIEOUT_COMMIT=\"$(git rev-parse HEAD)\" -t registry.example.com/tieout:0.1.0 .",
        "needs docker and a release build",
    ),
    (RUNBOOK, "deploy/chart target/helm", CHART),
    (RUNBOOK, "kubectl create namespace tieout", CLUSTER),
    (RUNBOOK, "kubectl -n tieout create secret generic tieout --from-file=api_key", CLUSTER),
    (
        RUNBOOK,
        "helm upgrade --install tieout target/helm/tieout -n tieout -f values.yaml --set-file configuration=tieout.toml",
        CHART,
    ),
    (
        RUNBOOK,
        "kubectl -n tieout port-forward service/tieout-reports 8080:80",
        "needs a cluster; published.rs runs the server with its configuration",
    ),
    (
        RUNBOOK,
        "kubectl -n tieout wait --for=condition=complete --timeout=24h job/tieout-backfill",
        CLUSTER,
    ),
    (
        RUNBOOK,
        "kubectl -n tieout patch job tieout-backfill-merge --type=merge -p '{\"spec\":{\"suspend\":false}}'",
        CLUSTER,
    ),
];
