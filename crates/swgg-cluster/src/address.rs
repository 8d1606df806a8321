//! A cluster by the address of its scheduler: jobs are submitted, watched, given up and fetched.

use std::time::{Duration, Instant};

use ballista_core::client::BallistaClient;
use ballista_core::serde::protobuf::execute_query_failure_result::Failure;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::get_job_status_result::FlightProxy;
use ballista_core::serde::protobuf::job_status::Status;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    CancelJobParams, CleanJobDataParams, ExecuteQueryParams, GetJobStatusParams, PartitionLocation,
    execute_query_result,
};
use ballista_core::{ids, version};
use datafusion::arrow::array::RecordBatch;
use datafusion::error::DataFusionError;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::StreamExt;
use std::sync::Arc;
use swgg_engine::remote::{Cluster, Ended, Work};
use swgg_engine::{Error, Meter, Result};
use tokio::runtime::Runtime;
use tokio::time::{sleep, timeout};
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

use crate::codec::SwggCodec;
use crate::failed::found;
use crate::{job, settings};

/// How long a connection may take to be made, and a question to be answered.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long nothing may arrive from an executor that has a result.
const SILENCE: Duration = Duration::from_secs(60);
/// How long executors may take to answer a greeting, unless told otherwise.
const GREETING: Duration = Duration::from_secs(20);
/// Bytes of a message at most, as Ballista has it.
const MESSAGE: usize = 16 << 20;
/// How often a result is asked for: a batch is tried again as a whole.
const TRIES: u8 = 1;
/// How often a job is asked how it is.
const PAUSE: Duration = Duration::from_millis(50);

/// What executors without our steps say about them.
const UNKNOWN: [&str; 2] = ["BallistaPhysicalPlanNode", "PhysicalExtensionCodec is not provided"];

/// A Ballista cluster.
#[derive(Debug)]
pub struct Ballista {
    address: String,
    runtime: Runtime,
    /// How long executors may take to answer a greeting.
    greeting: Duration,
}

/// Why a job did not end well.
enum Trouble {
    /// It may be tried again.
    Lost(String),
    /// It would happen again.
    Mistake(Error),
}

type Outcome<T> = std::result::Result<T, Trouble>;
type Client = SchedulerGrpcClient<Channel>;

impl Ballista {
    /// The cluster whose scheduler has this address, `HOST:PORT`. Nobody is asked yet.
    ///
    /// # Errors
    ///
    /// Threads that cannot be started.
    pub fn at(address: &str) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("swgg-cluster")
            .enable_all()
            .build()
            .map_err(|error| Error::DataFusion(format!("threads could not be started ({error})")))?;
        Ok(Ballista { address: address.to_string(), runtime, greeting: GREETING })
    }

    /// The same with another time that executors may take to answer a greeting.
    pub fn patient(self, greeting: Duration) -> Self {
        Ballista { greeting, ..self }
    }

    fn trouble(&self, problem: String) -> Error {
        Error::Cluster { address: self.address.clone(), problem }
    }

    async fn connect(&self) -> Outcome<Client> {
        let silent =
            |error: String| Trouble::Lost(format!("no scheduler answers at {} ({error})", self.address));
        let endpoint = Endpoint::from_shared(format!("http://{}", self.address))
            .map_err(|error| Trouble::Mistake(self.trouble(format!("is no address ({error})"))))?;
        let endpoint = endpoint.connect_timeout(PATIENCE).timeout(PATIENCE).tcp_nodelay(true);
        let channel = endpoint.connect().await.map_err(|error| silent(words(&error)))?;
        Ok(SchedulerGrpcClient::new(channel)
            .max_encoding_message_size(MESSAGE)
            .max_decoding_message_size(MESSAGE))
    }

    /// Hands a plan over and returns the name of the job.
    async fn submit(&self, client: &mut Client, plan: Arc<dyn ExecutionPlan>) -> Outcome<String> {
        let encoded =
            encoded(plan).map_err(|error| Trouble::Mistake(Error::DataFusion(error.to_string())))?;
        if encoded.len() > MESSAGE {
            return Err(Trouble::Mistake(Error::Setting(format!(
                "the borders of a batch come to {} bytes, and a message of Ballista holds {MESSAGE}; take more --batches or fewer --cells",
                encoded.len()
            ))));
        }
        let mut request = Request::new(ExecuteQueryParams {
            session_id: ids::new_instance_id(),
            settings: settings::of_job(),
            operation_id: ids::new_instance_id(),
            query: Some(Query::PhysicalPlan(encoded)),
        });
        version::insert_version_header(request.metadata_mut());
        let answer = client.execute_query(request).await.map_err(|status| match status.code() {
            tonic::Code::Unavailable | tonic::Code::DeadlineExceeded | tonic::Code::Cancelled => {
                Trouble::Lost(format!("the scheduler went away ({})", status.message()))
            }
            _ => Trouble::Mistake(self.trouble(format!(
                "answers, but takes no job: {}; expected a scheduler of Ballista {}",
                words(&status),
                ballista_core::BALLISTA_VERSION
            ))),
        })?;
        match answer.into_inner().result {
            Some(execute_query_result::Result::Success(success)) => Ok(success.job_id),
            Some(execute_query_result::Result::Failure(failure)) => {
                let said = match failure.failure {
                    Some(
                        Failure::SessionNotFound(said)
                        | Failure::PlanParsingFailure(said)
                        | Failure::SqlParsingFailure(said),
                    ) => said,
                    None => "nothing".to_string(),
                };
                Err(Trouble::Mistake(self.understood(&said, "the scheduler")))
            }
            None => Err(Trouble::Lost("the scheduler answered nothing".to_string())),
        }
    }

    /// What went wrong, by what was said about it.
    fn understood(&self, said: &str, who: &str) -> Error {
        if let Some(words) = found(said) {
            return self.trouble(words.to_string());
        }
        if UNKNOWN.iter().any(|sign| said.contains(sign)) {
            return self.trouble(format!(
                "{who} does not know the steps of swgg; start schedulers and executors with `swgg cluster`, or give yours \
                 swgg_cluster::SwggCodec (docs/cluster.md)"
            ));
        }
        self.trouble(format!("{who} refused the job: {}", first_line(said)))
    }

    /// Watches a job until its results are there.
    async fn watch(
        &self,
        client: &mut Client,
        job: &str,
        deadline: Duration,
        meter: &Meter,
    ) -> Outcome<(Vec<PartitionLocation>, Option<FlightProxy>)> {
        let started = Instant::now();
        loop {
            if meter.is_stopped() {
                self.cancel(client, job).await;
                return Err(Trouble::Mistake(Error::Interrupted));
            }
            if started.elapsed() >= deadline {
                self.cancel(client, job).await;
                return Err(Trouble::Lost(format!("it was not done in {} s", deadline.as_secs())));
            }
            let question = client.get_job_status(GetJobStatusParams { job_id: job.to_string() });
            let answer = question.await.map_err(|status| {
                Trouble::Lost(format!("the scheduler went away ({})", first_line(status.message())))
            })?;
            let answer = answer.into_inner();
            match answer.status.and_then(|status| status.status) {
                Some(Status::Failed(failed)) => {
                    let said = failed.error;
                    let is_ours = found(&said).is_some() || UNKNOWN.iter().any(|sign| said.contains(sign));
                    return Err(if is_ours {
                        Trouble::Mistake(self.understood(&said, "an executor"))
                    } else {
                        Trouble::Lost(format!("it failed: {}", first_line(&said)))
                    });
                }
                Some(Status::Successful(done)) => {
                    return Ok((done.partition_location, answer.flight_proxy));
                }
                Some(Status::Queued(_) | Status::Running(_)) | None => sleep(PAUSE).await,
            }
        }
    }

    async fn cancel(&self, client: &mut Client, job: &str) {
        // The job is given up in any case.
        let _ = client.cancel_job(CancelJobParams { job_id: job.to_string() }).await;
    }

    /// Fetches a part of the results.
    async fn fetch(
        &self,
        location: PartitionLocation,
        proxy: Option<&FlightProxy>,
        arrived: &mut dyn FnMut(&RecordBatch) -> Result<()>,
        meter: &Meter,
    ) -> Outcome<()> {
        let layout = location.layout();
        let broken = || Trouble::Lost("the scheduler did not say where a result is".to_string());
        let executor = location.executor_meta.ok_or_else(broken)?;
        let partition = location.partition_id.ok_or_else(broken)?.into();
        let (host, port) = (executor.host.clone(), executor.port as u16);
        let (by_host, by_port) = match proxy {
            Some(FlightProxy::External(address)) => split(address).ok_or_else(broken)?,
            Some(FlightProxy::Local(true)) => split(&self.address).ok_or_else(broken)?,
            _ => (host.clone(), port),
        };
        let gone = |error: String| {
            Trouble::Lost(format!("a result on {host}:{port} is gone ({})", first_line(&error)))
        };
        let late = |_| gone("nothing arrives".to_string());
        let client = BallistaClient::try_new(&by_host, by_port, MESSAGE, false, None, TRIES, 0, 0, 0);
        let mut client =
            timeout(PATIENCE, client).await.map_err(late)?.map_err(|error| gone(error.to_string()))?;
        let asked = client.fetch_partition_proxied(
            &executor.id,
            &partition,
            location.file_id,
            layout,
            &host,
            port,
            true,
        );
        let mut stream =
            timeout(SILENCE, asked).await.map_err(late)?.map_err(|error| gone(error.to_string()))?;
        while let Some(batch) = timeout(SILENCE, stream.next()).await.map_err(late)? {
            let batch = batch.map_err(|error| gone(error.to_string()))?;
            arrived(&batch).map_err(Trouble::Mistake)?;
            if meter.is_stopped() {
                return Err(Trouble::Mistake(Error::Interrupted));
            }
        }
        Ok(())
    }

    async fn job(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        deadline: Duration,
        arrived: &mut dyn FnMut(&RecordBatch) -> Result<()>,
        meter: &Meter,
    ) -> Outcome<()> {
        let mut client = self.connect().await?;
        let job = self.submit(&mut client, plan).await?;
        let (locations, proxy) = self.watch(&mut client, &job, deadline, meter).await?;
        let mut outcome = Ok(());
        for location in locations {
            outcome = self.fetch(location, proxy.as_ref(), arrived, meter).await;
            if outcome.is_err() {
                break;
            }
        }
        // Executors would keep it for minutes.
        let cleaning = CleanJobDataParams { job_id: job, remove_stage_ids: Vec::new() };
        let _ = client.clean_job_data(cleaning).await;
        outcome
    }
}

impl Cluster for Ballista {
    fn address(&self) -> String {
        format!("ballista://{}", self.address)
    }

    fn greet(&self, meter: &Meter) -> Result<()> {
        let plan = job::greeting()?;
        match self.runtime.block_on(self.job(plan, self.greeting, &mut |_| Ok(()), meter)) {
            Ok(()) => Ok(()),
            Err(Trouble::Mistake(error)) => Err(error),
            Err(Trouble::Lost(reason)) if reason.starts_with("it was not done") => {
                Err(self.trouble(format!(
                    "the scheduler answers, but its executors did not do a trifle in {} s; start some with `swgg cluster executor \
                     --scheduler {}`",
                    self.greeting.as_secs(),
                    self.address
                )))
            }
            Err(Trouble::Lost(reason)) => Err(self.trouble(format!(
                "{reason}; start one with `swgg cluster scheduler`, or look at the address"
            ))),
        }
    }

    fn run(
        &self,
        work: &Work,
        deadline: Duration,
        arrived: &mut dyn FnMut(&RecordBatch) -> Result<()>,
        meter: &Meter,
    ) -> Result<Ended> {
        let plan = job::batch(work)?;
        match self.runtime.block_on(self.job(plan, deadline, arrived, meter)) {
            Ok(()) => Ok(Ended::Whole),
            Err(Trouble::Lost(reason)) => Ok(Ended::Lost(reason)),
            Err(Trouble::Mistake(error)) => Err(error),
        }
    }
}

/// A plan in bytes.
fn encoded(plan: Arc<dyn ExecutionPlan>) -> std::result::Result<Vec<u8>, DataFusionError> {
    let mut bytes = Vec::new();
    PhysicalPlanNode::try_from_physical_plan(plan, &SwggCodec::default())?.try_encode(&mut bytes)?;
    Ok(bytes)
}

/// Host and port of an address.
fn split(address: &str) -> Option<(String, u16)> {
    let (host, port) = address.rsplit_once(':')?;
    Some((host.to_string(), port.parse().ok()?))
}

/// An error with the one that caused it.
fn words(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    last.to_string()
}

/// Ballista says where in its sources something happened, on lines of their own.
fn first_line(said: &str) -> &str {
    said.lines().next().unwrap_or_default()
}
