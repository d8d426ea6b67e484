//! The folder in which the commands of a story are typed, with a service behind it and stand-ins
//! for a cluster and for a machine with root access.

use std::cell::OnceCell;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tieout_sandbox::{API_KEY, WorldOptions, plant_codes};

use super::pages::root;
use super::stories::Step;
use crate::harness::{Ended, Served, Site, clean};

/// The morning on which the commands are typed: `yesterday` is the last date of the world.
const NOW: &str = "2026-11-23T12:00:00Z";

/// A person's files before the first command of a story.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The program, and an empty folder.
    Nothing,
    /// A key, and an API.
    Key,
    /// A configuration, and no night yet.
    Configured,
    /// A week of nights with discrepancies.
    Week,
}

pub struct Stage {
    state: State,
    served: Served,
    site: Site,
    port: u16,
    discrepancy: OnceCell<String>,
    up: std::cell::RefCell<Vec<Child>>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        for child in self.up.get_mut() {
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let _ = child.wait();
        }
    }
}

impl Stage {
    pub fn set(state: State) -> Self {
        let week = clean(73, "2026-11-16", "2026-11-22", 4, 4);
        let served = Served::new(&match state {
            State::Key => clean(61, "2026-11-16", "2026-11-22", 3, 20),
            _ => WorldOptions {
                plants: plant_codes().into_iter().map(str::to_owned).collect(),
                ..week
            },
        });
        let site = match state {
            State::Nothing | State::Key => Site::empty(),
            State::Configured | State::Week => served.site(),
        };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let (discrepancy, up) = (OnceCell::new(), Vec::new().into());
        let ready = Self { state, served, site, port, discrepancy, up };
        ready.write("api_key", &format!("{API_KEY}\n"), 0o600);
        ready.put_stand_ins();
        if state == State::Week {
            ready.shell("tieout run -q --date 2026-11-16..2026-11-22").expect(0);
        }
        ready
    }

    /// Ends the processes that still run; the schedule ends as a stopped service.
    pub fn end(self) {
        for child in self.up.take() {
            let _ = Command::new("kill").arg(child.id().to_string()).status();
            let ended = child.wait_with_output().unwrap().status;
            assert!(self.state == State::Nothing || ended.code() == Some(0), "{ended}");
        }
    }

    /// Runs a step and compares its result with the expected one.
    pub fn play(&self, page: &str, step: &Step) {
        if !step.before.is_empty() {
            self.shell(&format!("set -e; {}", step.before)).expect(0);
        }
        let line = self.as_here(step.command);
        if step.stays {
            self.up.borrow_mut().push(self.start(&line));
            return;
        }
        let ended = self.shell(&line);
        let about = format!("{page}: {}\n{}\n{}", step.command, ended.stdout, ended.stderr);
        assert_eq!(ended.code, Some(step.code), "{about}");
        let says = self.as_here(step.says);
        assert!(format!("{}{}", ended.stdout, ended.stderr).contains(&says), "{says}: {about}");
        assert!(!ended.stderr.contains("panicked"), "{about}");
    }

    /// The text with the addresses, folders and numbers of this stage in place of the page's.
    fn as_here(&self, text: &str) -> String {
        let base = self.served.sandbox.base_url();
        let here = self.site.path().display();
        let mut text = text
            .replace("https://api.example.com/v1", &format!("{base}/v1"))
            .replace("https://identity.example.com", &base)
            .replace("127.0.0.1:9464", &format!("127.0.0.1:{}", self.port))
            .replace("sandbox serve ", &format!("sandbox serve --listen 127.0.0.1:{} ", self.port))
            .replace("/run/secrets/", &format!("{here}/"))
            .replace("/etc/tieout/", &format!("{here}/"))
            .replace("/published/", &format!("{here}/"))
            .replace("/books/", &format!("{here}/books/"))
            .replace("/backups", &format!("{here}/backups"));
        if text.contains("90c3d1e2") {
            text = text.replace("90c3d1e2", self.discrepancy());
        }
        text
    }

    /// The first eight characters of a discrepancy of this store, in place of the page's.
    fn discrepancy(&self) -> &str {
        self.discrepancy.get_or_init(|| {
            let listed = self.shell("tieout discrepancies list --json").expect(0).stdout;
            let listed: serde_json::Value = serde_json::from_str(&listed).unwrap();
            listed[0]["discrepancy_id"].as_str().unwrap()[..8].to_owned()
        })
    }

    /// A line as a shell in the folder reads it.
    fn shell(&self, line: &str) -> Ended {
        Ended::from(self.command(line).output().unwrap())
    }

    fn command(&self, line: &str) -> Command {
        let program = self.site.command(&[]);
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).current_dir(self.site.path()).stdin(Stdio::null());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        let folder = Path::new(program.get_program()).parent().unwrap().display();
        let path = std::env::var("PATH").unwrap();
        shell.env("PATH", format!("{}/bin:{folder}:{path}", self.site.path().display()));
        shell.env("TIEOUT_NOW", NOW);
        if self.state == State::Key {
            shell.env_remove("TIEOUT_API_KEY");
        }
        if self.state == State::Nothing {
            // The world's own service has another port than its configuration says.
            let base = format!("http://127.0.0.1:{}", self.port);
            shell.env("TIEOUT_API__BASE_URL", format!("{base}/v1"));
            shell.env("TIEOUT_API__AUTH_URL", base);
        }
        shell
    }

    /// A program that stays up, once it answers.
    fn start(&self, line: &str) -> Child {
        let mut command = self.command(&format!("exec {line}"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert_eq!(child.try_wait().unwrap(), None, "{line} has ended");
            assert!(began.elapsed() < Duration::from_secs(60), "{line} does not answer");
            std::thread::sleep(Duration::from_millis(20));
        }
        child
    }

    fn write(&self, name: &str, text: &str, mode: u32) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.site.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Copies the manifests, and writes stand-ins for the missing machines.
    fn put_stand_ins(&self) {
        let manifests = root().join("deploy/kubernetes");
        std::fs::create_dir_all(self.site.path().join("deploy")).unwrap();
        let copied = Command::new("cp")
            .arg("-r")
            .arg(&manifests)
            .arg(self.site.path().join("deploy"))
            .status()
            .unwrap();
        assert!(copied.success());
        self.write("bin/sudo", "#!/bin/sh\n[ \"$1\" = -u ] && shift 2\nexec \"$@\"\n", 0o755);
        self.write("bin/kubectl", KUBECTL, 0o755);
        self.write("deploy/kubernetes/by-hand", BY_HAND, 0o755);
        let restore = restore_script(&manifests);
        let here = self.site.path().display();
        let restore = restore
            .replace("/backups/", &format!("{here}/backups/"))
            .replace("/data/", &format!("{here}/"));
        self.write("restore", &restore, 0o755);
    }
}

/// The shell script of `tieout-restore`.
fn restore_script(manifests: &Path) -> String {
    let text = std::fs::read_to_string(manifests.join("base/by_hand.yaml")).unwrap();
    let (_, script) = text.split_once("- |\n").unwrap();
    let (script, _) = script.split_once("- restore").unwrap();
    script.lines().map(|line| line.trim_start().to_owned() + "\n").collect()
}

/// Makes a job of a command and runs it: `deploy/check_by_hand` shows the real one.
const BY_HAND: &str = "#!/bin/sh
if [ \"$1\" = --from ]; then
    [ \"$2\" = tieout-restore ] || exit 1
    exec sh -eu ./restore \"$3\"
fi
exec tieout \"$@\"
";

/// Runs the commands of a pod here, in the same folder. On a machine without kubectl it only checks
/// that an overlay exists.
const KUBECTL: &str = "#!/bin/sh
set -eu
if [ \"$1\" = -n ]; then
    [ \"$2\" = tieout ]
    shift 2
fi
case \"$1 $2\" in
    'apply -k')
        test -s \"$3/kustomization.yaml\"
        PATH=${PATH#*:}
        if command -v kubectl > /dev/null; then kubectl kustomize \"$3\" > /dev/null; fi
        ;;
    'exec deploy/tieout-schedule')
        [ \"$3 $4\" = '-- /tieout' ]
        shift 4
        exec tieout \"$@\"
        ;;
    'exec tieout-files-0')
        [ \"$3\" = -- ]
        shift 3
        exec \"$@\"
        ;;
    cp*) exec cp \"${2#tieout-files-0:}\" \"${3#tieout-files-0:}\" ;;
    *) exit 1 ;;
esac
";
