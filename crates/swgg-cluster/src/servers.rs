//! Ballista's scheduler and executor with our steps.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use swgg_engine::{Error, Result};

use crate::codec::SwggCodec;

/// Executors ask for work, so nobody has to reach them but other executors and drivers, for results.
const POLICY: TaskSchedulingPolicy = TaskSchedulingPolicy::PullStaged;
/// Seconds between two looks at who is lost.
const LOOK: u64 = 2;
/// Seconds for which results that nobody fetched are kept.
const KEPT: u64 = 600;

/// Where a scheduler runs.
#[derive(Clone, Debug)]
pub struct SchedulerPlace {
    /// Address of this machine to listen at.
    pub bind: String,
    /// Port for drivers and executors.
    pub port: u16,
    /// Seconds after which an executor that is silent counts as lost.
    pub executor_timeout: u64,
    /// Executors that must be there before `/readyz` says so.
    pub min_executors: usize,
}

/// Where an executor runs, and with what.
#[derive(Clone, Debug)]
pub struct ExecutorPlace {
    /// Host of the scheduler.
    pub scheduler: (String, u16),
    /// Address of this machine to listen at.
    pub bind: String,
    /// Name by which others reach this machine; where it calls from if `None`.
    pub host: Option<String>,
    /// Port for results.
    pub port: u16,
    /// Tasks at a time, 0 for as many as there are processors.
    pub vcores: usize,
    /// Bytes of memory for all of them.
    pub memory: u64,
    /// Folder for shuffles and sorts.
    pub work_dir: PathBuf,
}

/// Ballista's configuration of a scheduler, with our steps: for programs that start one.
pub fn scheduler_config(place: &SchedulerPlace) -> SchedulerConfig {
    SchedulerConfig {
        bind_host: place.bind.clone(),
        bind_port: place.port,
        scheduling_policy: POLICY,
        executor_timeout_seconds: place.executor_timeout,
        expire_dead_executor_interval_seconds: LOOK,
        no_executors_grace_period_seconds: place.executor_timeout,
        finished_job_data_clean_up_interval_seconds: KEPT,
        finished_job_state_clean_up_interval_seconds: KEPT,
        min_ready_executors: place.min_executors,
        override_physical_codec: Some(Arc::new(SwggCodec::default())),
        ..SchedulerConfig::default()
    }
}

/// Ballista's configuration of an executor, with our steps: for programs that start one.
pub fn executor_config(place: &ExecutorPlace) -> ExecutorProcessConfig {
    ExecutorProcessConfig {
        bind_host: place.bind.clone(),
        external_host: place.host.clone(),
        port: place.port,
        scheduler_host: place.scheduler.0.clone(),
        scheduler_port: place.scheduler.1,
        // Any number but 0 means to wait until the scheduler is there.
        scheduler_connect_timeout_seconds: 1,
        vcores: place.vcores,
        task_scheduling_policy: POLICY,
        work_dir: Some(place.work_dir.display().to_string()),
        memory_pool_size: Some(place.memory),
        override_physical_codec: Some(Arc::new(SwggCodec::default())),
        ..ExecutorProcessConfig::default()
    }
}

fn failed(what: &str, place: &str, error: &dyn std::fmt::Display) -> Error {
    Error::Cluster { address: place.to_string(), problem: format!("{what} ended: {error}") }
}

/// Runs a scheduler until the process ends.
///
/// # Errors
///
/// An address that cannot be listened at.
pub async fn run_scheduler(place: &SchedulerPlace) -> Result<()> {
    let at = format!("{}:{}", place.bind, place.port);
    let address: SocketAddr = at.parse().map_err(|_| Error::Cluster {
        address: at.clone(),
        problem: "is no address to listen at; expected numbers for --bind, such as 0.0.0.0".to_string(),
    })?;
    let config = scheduler_config(place);
    let cluster = BallistaCluster::new_from_config(&config).await;
    let cluster = cluster.map_err(|error| failed("the scheduler", &at, &error))?;
    start_server(cluster, address, Arc::new(config))
        .await
        .map_err(|error| failed("the scheduler", &at, &error))
}

/// Runs an executor until it is told to end.
///
/// # Errors
///
/// An address that cannot be listened at.
pub async fn run_executor(place: &ExecutorPlace) -> Result<()> {
    let at = format!("{}:{}", place.bind, place.port);
    start_executor_process(Arc::new(executor_config(place)))
        .await
        .map_err(|error| failed("the executor", &at, &error))
}
