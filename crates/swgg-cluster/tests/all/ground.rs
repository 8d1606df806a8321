//! Processes of a cluster on free ports, which end when they are dropped.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use swgg_cluster::Ballista;
use swgg_engine::remote::Batches;
use swgg_engine::{Meter, Request, Solved, solve_on};
use tempfile::TempDir;

/// How long anything may take here.
pub const PATIENCE: Duration = Duration::from_secs(120);
/// What a test takes for a lost executor: the least that the program allows.
const TIMEOUT: &str = "10";

/// A port that nobody listens at.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A process that does not outlive the test.
pub struct Process(Child);

impl Process {
    pub fn start(args: &[&str]) -> Process {
        let mut command = Command::new(env!("CARGO_BIN_EXE_swgg-cluster"));
        let said = std::env::var_os("SWGG_CLUSTER_LOG").is_some();
        let stderr = if said { Stdio::inherit() } else { Stdio::null() };
        if said {
            command.args(args).args(["--log", "info"]);
        } else {
            command.args(args);
        }
        Process(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).spawn().unwrap())
    }

    /// Without a farewell: SIGKILL, where there are signals.
    pub fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

pub struct Ground {
    pub port: u16,
    pub scheduler: Process,
    pub executors: Vec<Process>,
    work: TempDir,
}

impl Ground {
    pub fn of(executors: usize) -> Ground {
        let port = free_port();
        let scheduler = scheduler(port, executors);
        let mut ground =
            Ground { port, scheduler, executors: Vec::new(), work: tempfile::tempdir().unwrap() };
        (0..executors).for_each(|_| ground.add());
        if executors > 0 {
            ready(port);
        }
        ground
    }

    /// One more executor.
    pub fn add(&mut self) {
        let (scheduler, port) = (format!("127.0.0.1:{}", self.port), free_port().to_string());
        let work = self.work.path().display().to_string();
        self.executors.push(Process::start(&[
            "executor",
            "--scheduler",
            &scheduler,
            "--port",
            &port,
            "--vcores",
            "2",
            "--memory",
            "400MB",
            "--work-dir",
            &work,
        ]));
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub fn solve(&self, request: &Request, batches: usize) -> swgg_engine::Result<Solved> {
        solve_at(&self.address(), request, batches)
    }
}

pub fn solve_at(address: &str, request: &Request, batches: usize) -> swgg_engine::Result<Solved> {
    let batches = Batches { count: batches, deadline: Duration::from_secs(40) };
    solve_on(request, &Ballista::at(address).unwrap(), batches, &Arc::new(Meter::default()))
}

pub fn scheduler(port: u16, executors: usize) -> Process {
    let (port, executors) = (port.to_string(), executors.to_string());
    Process::start(&[
        "scheduler",
        "--port",
        &port,
        "--executor-timeout",
        TIMEOUT,
        "--min-executors",
        &executors,
    ])
}

/// Waits until a scheduler says that its executors are there.
pub fn ready(port: u16) {
    let started = Instant::now();
    while !is_ready(port) {
        assert!(started.elapsed() < PATIENCE, "the cluster did not start");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn is_ready(port: u16) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
    let asked = stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    let mut answer = [0; 12];
    asked.is_ok() && stream.read_exact(&mut answer).is_ok() && answer.ends_with(b"200")
}

/// Waits until a run that goes on has finished a part, and says whether it did.
pub fn first_part(plan: &Path) -> bool {
    let name = format!(".{}.unfinished", plan.file_name().unwrap().to_string_lossy());
    let folder = plan.with_file_name(name);
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let is_part = |name: String| name.starts_with("part-") && name.ends_with(".parquet");
        let mut names = fs::read_dir(&folder).into_iter().flatten().flatten();
        if names.any(|entry| is_part(entry.file_name().to_string_lossy().into_owned())) {
            return true;
        }
        if plan.exists() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Two folders that hold the same files, byte by byte.
pub fn assert_same(one: &Path, other: &Path) {
    let list = |folder: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    assert_eq!(list(one), list(other));
    for name in list(one) {
        let [left, right] = [one, other].map(|folder| fs::read(folder.join(&name)).unwrap());
        assert!(left == right, "{} differs", name.display());
    }
}
