//! The paper's data, where somebody has them.

use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use swgg::ndarray::{Array2, Array3};
use swgg_io::picture::{self, Samples};
use swgg_io::raster::Raster;
use swgg_io::{ReadOptions, read_cloud};

use crate::Outcome;
use crate::scenes::Photo;

/// A cloud of points from a file under the directory of data.
pub fn cloud(data: &Path, file: &str) -> Outcome<Array2<f64>> {
    let cloud = read_cloud(&data.join(file), &ReadOptions::default())?;
    Ok(Array2::from_shape_vec((cloud.rows(), cloud.columns()), cloud.to_f64().into_owned())?)
}

/// A photograph, in 8 bits.
pub fn photo(data: &Path, file: &str) -> Outcome<Photo> {
    let path = data.join(file);
    let picture = picture::read(&path)?;
    let Samples::U8(samples) = &picture.samples else {
        return Err(
            format!("{}: {} bits a sample, expected 8", path.display(), picture.samples.bits()).into()
        );
    };
    let pixel = |pixel: &[u8]| if picture.is_gray() { [pixel[0]; 3] } else { [pixel[0], pixel[1], pixel[2]] };
    Ok(Photo { width: picture.width, pixels: samples.chunks(picture.channels).map(pixel).collect() })
}

/// So many points of a picture, drawn as often as it is dark, in a square of side 10.
pub fn dark_points(data: &Path, file: &str, n: usize) -> Outcome<Array2<f64>> {
    let photo = photo(data, file)?;
    let mut sums = Vec::with_capacity(photo.pixels.len());
    let mut total = 0.0;
    for gray in photo.grays() {
        total += 255.0 - f64::from(gray);
        sums.push(total);
    }
    if total <= 0.0 {
        return Err(format!("{}: no pixel is darker than white", data.join(file).display()).into());
    }
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut points = Array2::zeros((n, 2));
    for mut row in points.rows_mut() {
        let drawn = total * rng.random::<f64>();
        let at = sums.partition_point(|sum| *sum <= drawn).min(sums.len() - 1);
        let (i, j) = (at / photo.width, at % photo.width);
        row[0] = 10.0 * (j as f64 + rng.random::<f64>()) / photo.width as f64;
        row[1] = 10.0 - 10.0 * (i as f64 + rng.random::<f64>()) / photo.height() as f64;
    }
    Ok(points)
}

/// The bands of a raster: band by row by column.
pub fn raster(data: &Path, file: &str) -> Outcome<Array3<f32>> {
    let Raster { bands, rows, columns, values, .. } = Raster::read(&data.join(file))?;
    Ok(Array3::from_shape_vec((bands, rows, columns), values)?)
}
