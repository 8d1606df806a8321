//! Addresses where there is no cluster, or not one of ours.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ballista_executor::executor_process::start_executor_process;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::scheduler_process::start_server;
use swgg_cluster::{Ballista, ExecutorPlace, SchedulerPlace, SwggCodec, executor_config, scheduler_config};
use swgg_engine::Meter;
use swgg_engine::remote::Cluster;

use crate::ground::{Ground, PATIENCE, free_port};

/// What a cluster says to a greeting, which has to fail soon.
fn refused(address: &str) -> String {
    let started = Instant::now();
    let cluster = Ballista::at(address).unwrap().patient(Duration::from_secs(6));
    let error = cluster.greet(&Meter::default()).unwrap_err().to_string();
    assert!(started.elapsed() < PATIENCE / 4, "{:?}", started.elapsed());
    error
}

/// Runs something beside the test, for as long as the tests run.
fn beside<F: Future<Output = ()> + Send + 'static>(work: impl FnOnce() -> F + Send + 'static) {
    std::thread::spawn(move || {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        runtime.worker_threads(2).thread_stack_size(16 << 20).enable_all().build().unwrap().block_on(work());
    });
}

/// An executor with another codec than ours.
fn executor(port: u16, work: &Path, codec: Option<SwggCodec>) {
    let place = ExecutorPlace {
        scheduler: ("127.0.0.1".to_string(), port),
        bind: "127.0.0.1".to_string(),
        host: None,
        port: free_port(),
        vcores: 1,
        memory: 100_000_000,
        work_dir: work.to_path_buf(),
    };
    let mut config = executor_config(&place);
    config.override_physical_codec = codec.map(|codec| Arc::new(codec) as _);
    beside(move || async move { drop(start_executor_process(Arc::new(config)).await) });
}

#[test]
fn nobody_there() {
    let port = free_port();
    let said = refused(&format!("127.0.0.1:{port}"));
    assert!(said.contains(&format!("no scheduler answers at 127.0.0.1:{port}")), "{said}");
    assert!(said.contains("swgg cluster scheduler"), "{said}");
}

#[test]
fn somebody_else_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    let said = refused(&address);
    assert!(said.starts_with(&format!("{address}: ")), "{said}");
}

#[test]
fn a_scheduler_without_executors() {
    let ground = Ground::of(0);
    let started = Instant::now();
    let said = loop {
        let said = refused(&ground.address());
        if !said.contains("no scheduler answers") || started.elapsed() > PATIENCE / 4 {
            break said;
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(said.contains("its executors did not do a trifle in 6 s"), "{said}");
}

#[test]
fn executors_without_our_steps_or_of_another_version() {
    let work = tempfile::tempdir().unwrap();
    for (codec, words) in [
        (
            None,
            "an executor does not know the steps of swgg; start schedulers and executors with `swgg cluster`",
        ),
        (
            Some(SwggCodec::of_version("0.0.1")),
            "a scheduler or an executor is swgg 0.0.1; build all programs",
        ),
    ] {
        let ground = Ground::of(0);
        executor(ground.port, work.path(), codec);
        crate::ground::ready(ground.port);
        let said = refused(&ground.address());
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_scheduler_without_our_steps() {
    let port = free_port();
    let place =
        SchedulerPlace { bind: "127.0.0.1".to_string(), port, executor_timeout: 10, min_executors: 0 };
    let mut config = scheduler_config(&place);
    config.override_physical_codec = None;
    beside(move || async move {
        let cluster = BallistaCluster::new_from_config(&config).await.unwrap();
        drop(start_server(cluster, ([127, 0, 0, 1], port).into(), Arc::new(config)).await);
    });
    crate::ground::ready(port);
    let said = refused(&format!("127.0.0.1:{port}"));
    assert!(said.contains("the scheduler does not know the steps of swgg"), "{said}");
}
