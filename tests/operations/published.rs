//! The server of the reports in a cluster: the nginx.conf of the manifests, under Debian's nginx,
//! over the published reports of a night.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::harness::{Ended, Served, Site, clean};

const CONFIGURATION: &str = include_str!("../../deploy/kubernetes/published/nginx.conf");

/// The server until it is dropped.
struct Nginx(Child);

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM to the master ends its workers, too.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

fn published() -> (Served, Site) {
    let served = Served::new(&clean(61, "2026-11-03", "2026-11-03", 2, 20));
    let site = served.site();
    // The cluster creates these two, as the volume's mounts name them.
    for folder in ["reports", "metrics"] {
        std::fs::create_dir_all(site.path().join("published").join(folder)).unwrap();
    }
    let mut command = site.command(&["run", "--date", "2026-11-03"]);
    command.env("TIEOUT_REPORTS__DIR", site.path().join("published/reports"));
    command.env("TIEOUT_NOTIFY__METRICS_FILE", site.path().join("published/metrics/tieout.prom"));
    Ended::from(command.output().unwrap()).expect(0);
    (served, site)
}

/// Starts nginx with the configuration of the manifests, its paths and its port replaced.
fn start(folder: &Path, port: u16) -> Nginx {
    let temporary = folder.join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let text = CONFIGURATION
        // The folder may itself lie in /tmp.
        .replace("/tmp/", &format!("{}/", temporary.display()))
        .replace("/published", folder.join("published").to_str().unwrap())
        .replace("listen 8080;", &format!("listen 127.0.0.1:{port};"))
        .replace("/dev/stderr", temporary.join("error.log").to_str().unwrap())
        .replace("/dev/stdout", temporary.join("access.log").to_str().unwrap());
    assert!(text.contains(&format!("127.0.0.1:{port}")));
    let file = folder.join("nginx.conf");
    std::fs::write(&file, text).unwrap();
    // In the pod the server is the user that owns the reports; here it stays who the test is.
    let is_root = Command::new("id").arg("-u").output().unwrap().stdout == b"0\n";
    let user = if is_root { "user root; " } else { "" };
    let mut command = Command::new(nginx().unwrap());
    command.arg("-c").arg(&file).args(["-g", &format!("{user}daemon off;")]);
    command.arg("-p").arg(folder).stdout(Stdio::null()).stderr(Stdio::null());
    Nginx(command.spawn().unwrap())
}

fn nginx() -> Option<&'static str> {
    ["/usr/sbin/nginx", "/usr/bin/nginx"].into_iter().find(|path| Path::new(path).exists())
}

/// Status, content type and body.
fn get(runtime: &tokio::runtime::Runtime, url: &str) -> (u16, String, String) {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    let client = client.build().unwrap();
    runtime.block_on(async {
        let answer = client.get(url).send().await.unwrap();
        let header = |name: &str| {
            answer.headers().get(name).map_or("", |value| value.to_str().unwrap()).to_owned()
        };
        let about =
            if answer.status() == 302 { header("location") } else { header("content-type") };
        (answer.status().as_u16(), about, answer.text().await.unwrap())
    })
}

#[test]
fn a_server_with_the_configuration_of_the_manifests_serves_reports_and_metrics_alone() {
    if nginx().is_none() {
        eprintln!("not tested, as there is no nginx here");
        return;
    }
    let (served, site) = published();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let _nginx = start(site.path(), port);
    let began = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(20), "nginx does not answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    // A private file lies beside the served ones.
    std::fs::write(site.path().join("published/secret"), "no").unwrap();
    for (path, status, about, part) in [
        ("/", 302, "/reports/", ""),
        ("/live", 204, "", ""),
        ("/reports/", 200, "text/html", "2026-11-03"),
        ("/reports/2026-11-03/report.html", 200, "text/html", "<html"),
        ("/reports/2026-11-03/run.json", 200, "application/json", "\"2026-11-03\""),
        ("/reports/2026-11-03/", 403, "text/html", ""),
        ("/metrics", 200, "text/plain; version=0.0.4", "# TYPE tieout_"),
        ("/metrics/tieout.prom", 404, "text/html", ""),
        ("/secret", 404, "text/html", ""),
        ("/reports/../secret", 404, "text/html", ""),
        ("/reports/%2e%2e/secret", 404, "text/html", ""),
    ] {
        let (found, about_found, body) =
            get(&served.runtime, &format!("http://127.0.0.1:{port}{path}"));
        assert_eq!(found, status, "{path}: {body}");
        assert!(about_found.starts_with(about), "{path}: {about_found}");
        assert!(body.contains(part), "{path}: {body}");
    }
}
