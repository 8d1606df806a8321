//! What `swgg barycenter` accepts.

use std::path::{Path, PathBuf};

use clap::Args;
use swgg_io::ColumnSelection;

use super::{MOST_COUNT, PlanFlags, Print, TableFlags, at_most};

/// Find the cloud in the middle of several clouds
///
/// Makes the weighted sum of squared Wasserstein distances to all clouds small: plans from its points to every cloud, then each point
/// to the mean of the places its mass goes to, in turn. The sum never rises, whatever the method of the plans.
///
/// Between two clouds of weights 1-t and t it is their geodesic at t, as interpolate draws it, unless --points or --begin ask for other points.
#[derive(Debug, Args)]
pub struct Barycenter {
    /// Clouds, one point per row; two or more
    #[arg(value_name = "CLOUD", required = true)]
    pub clouds: Vec<PathBuf>,
    /// Columns that are coordinates, by name or number: x,y,z or 0-2, pc1-pc3, pc* [default: x, y and z of scans (.ply, .pcd, .las,
    /// .laz), all columns of other files]
    #[arg(long, value_name = "LIST")]
    pub columns: Option<ColumnSelection>,
    #[command(flatten)]
    pub tables: TableFlags,
    /// What each cloud counts, one number per cloud [default: equal]
    #[arg(long, value_name = "W,W,...", value_delimiter = ',', allow_hyphen_values = true)]
    pub weights: Option<Vec<f64>>,
    /// Weights of the points of each cloud: a file per cloud, in their order; "equal" for none
    #[arg(long, value_name = "FILE,FILE,...", value_delimiter = ',')]
    pub point_weights: Option<Vec<PathBuf>>,

    /// Points of the barycenter [default: those of the geodesic between two clouds, as many as the largest cloud has between more]
    #[arg(long, value_name = "N", value_parser = at_most(MOST_COUNT))]
    pub points: Option<usize>,
    /// Points to begin with, one per row [default: drawn from all clouds together]
    #[arg(long, value_name = "FILE", conflicts_with = "points")]
    pub begin: Option<PathBuf>,
    /// Steps at most
    #[arg(long, value_name = "K", default_value_t = 100, value_parser = at_most(MOST_COUNT))]
    pub max_steps: usize,
    /// A step that lowers the sum by no more than this share is the last one [default: 1e-9 where plans are exact, else 1e-3]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub gain: Option<f64>,

    /// Cloud to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Write the weights of its points, which are unequal where two clouds split each other's points
    #[arg(long, value_name = "FILE.npy")]
    pub out_weights: Option<PathBuf>,
    /// Draw the clouds and their barycenter: .png or .svg
    #[arg(long, value_name = "FILE.svg")]
    pub picture: Option<PathBuf>,
    /// Write a page to look at: one HTML file with a slider from the clouds to their barycenter
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,

    #[command(flatten)]
    pub how: PlanFlags,
    #[command(flatten)]
    pub print: Print,
}

impl Barycenter {
    /// What stands for equal weights among the files of weights.
    pub const EQUAL: &str = "equal";

    /// The file with the weights of the points of a cloud.
    pub fn weights_of(&self, cloud: usize) -> Option<&Path> {
        let file = self.point_weights.as_ref()?.get(cloud)?;
        (file.as_os_str() != Self::EQUAL).then_some(file.as_path())
    }

    /// Every file that is read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let weights = (0..self.clouds.len()).filter_map(|cloud| self.weights_of(cloud));
        self.clouds
            .iter()
            .chain(&self.begin)
            .map(PathBuf::as_path)
            .chain(weights)
            .chain(self.how.given.files())
    }
}
