//! From files to data sets.

use std::path::{Path, PathBuf};

use swgg_apps::otdd::{DataSet, Pixels, Size, resized, sample};
use swgg_io::idx::{self, Numbers, Tensor};
use swgg_io::{Cloud, ColumnSelection, ReadOptions, read_cloud, read_table, read_vector};

use crate::args::Otdd;
use crate::exit::{Failure, Outcome};
use crate::progress::Spinner;

/// The column of labels unless told otherwise.
const LABEL: &str = "label";

/// Data sets that can be compared, and what to say of them.
pub struct Loaded {
    pub sets: Vec<DataSet>,
    pub names: Vec<String>,
    /// What the labels are called, in their order.
    pub class_names: Vec<Vec<String>>,
    /// What was done to the points or to the labels.
    pub notes: Vec<String>,
    pub dim: usize,
}

/// Points and labels of one file, those of the sample only.
struct Rows {
    points: Vec<f64>,
    dim: usize,
    /// The size of images, where they are some.
    size: Option<Size>,
    labels: Vec<u32>,
    /// What labels that are text are called.
    words: Option<Vec<String>>,
}

/// Reads all data sets, and brings images to one size.
pub fn read(args: &Otdd) -> Outcome<Loaded> {
    let mut all = Vec::with_capacity(args.sets.len());
    for (k, path) in args.sets.iter().enumerate() {
        let _spinner = Spinner::new(format!("reading {}", path.display()), args.print.quiet);
        all.push(read_one(args, k, path)?);
    }
    let names = names(args);
    let mut notes: Vec<String> = Vec::new();
    for (name, rows) in names.iter().zip(&all) {
        if rows.words.is_some() {
            notes.push(format!("labels of {name} are text, counted in sorted order"));
        }
    }
    bring_to_size(args, &names, &mut all, &mut notes)?;
    let dim = all[0].dim;
    let mut loaded = Loaded { sets: Vec::new(), names, class_names: Vec::new(), notes, dim };
    for (rows, path) in all.into_iter().zip(&args.sets) {
        let place = |error: swgg_apps::otdd::Error| Failure::input(format!("{}: {error}", path.display()));
        let set = DataSet::new(rows.points, rows.dim, &rows.labels).map_err(place)?;
        let named = |label: &u32| match &rows.words {
            Some(words) => words[*label as usize].clone(),
            None => label.to_string(),
        };
        loaded.class_names.push(set.labels().iter().map(named).collect());
        loaded.sets.push(set);
    }
    Ok(loaded)
}

fn read_one(args: &Otdd, k: usize, path: &Path) -> Outcome<Rows> {
    let labels = args.labels.as_ref().map(|files| files[k].clone());
    if idx::is_named(path) {
        return read_images(args, path, labels);
    }
    let beside = labels.or_else(|| beside(path).filter(|_| args.label_column.is_none()));
    let Some(labels) = beside else { return read_labelled_table(args, path) };
    let cloud = read_cloud(path, &ReadOptions { columns: args.columns.clone(), ..ReadOptions::default() })?;
    let labels = read_labels(&labels)?;
    same_count(path, labels.len(), cloud.rows())?;
    let (points, dim) = (cloud.to_f64(), cloud.columns());
    let chosen = chosen(args, cloud.rows())?;
    let points = chosen.iter().flat_map(|row| &points[row * dim..(row + 1) * dim]).copied().collect();
    let labels = chosen.iter().map(|row| labels[*row]).collect();
    Ok(Rows { points, dim, size: None, labels, words: None })
}

/// `x-labels.npy` or `x_labels.npy` beside `x.npy`, if it is there.
fn beside(path: &Path) -> Option<PathBuf> {
    let (stem, extension) = (path.file_stem()?.to_str()?, path.extension()?.to_str()?);
    let named = ["-labels", "_labels"].map(|end| path.with_file_name(format!("{stem}{end}.{extension}")));
    named.into_iter().find(|file| file.is_file())
}

fn read_images(args: &Otdd, path: &Path, labels: Option<PathBuf>) -> Outcome<Rows> {
    let refuse = |why: String| Failure::input(format!("{}: {why}", path.display()));
    let Tensor { shape, numbers } = idx::read(path)?;
    let (size, dim) = match shape[1..] {
        [] => return Err(refuse("it has one axis, as labels have; name the file of the images".into())),
        [height, width] => (Some(Size { height, width }), height * width),
        ref others => (None, others.iter().product()),
    };
    let labels = labels.or_else(|| idx::labels_beside(path));
    let labels =
        labels.ok_or_else(|| refuse("nothing tells where its labels are; name them with --labels".into()))?;
    if !labels.is_file() && args.labels.is_none() {
        let labels = labels.display();
        return Err(refuse(format!("its labels are not beside it ({labels}); name them with --labels")));
    }
    let labels = read_labels(&labels)?;
    same_count(path, labels.len(), shape[0])?;
    let pixels = Pixels::from_name(&args.pixels).unwrap_or_default();
    let scaled = matches!(numbers, Numbers::Bytes(_));
    let coordinate = |place: usize| {
        let number = numbers.get(place);
        if scaled { pixels.coordinate(number) } else { number }
    };
    let chosen = chosen(args, shape[0])?;
    let points = chosen.iter().flat_map(|row| row * dim..(row + 1) * dim).map(coordinate).collect();
    let labels = chosen.iter().map(|row| labels[*row]).collect();
    Ok(Rows { points, dim, size, labels, words: None })
}

fn read_labelled_table(args: &Otdd, path: &Path) -> Outcome<Rows> {
    let name = args.label_column.as_deref().unwrap_or(LABEL);
    let (cloud, words) = labelled_table(args, path, name)?;
    let chosen = chosen(args, cloud.rows())?;
    let (all, dim) = (cloud.to_f64(), cloud.columns());
    let points = chosen.iter().flat_map(|row| &all[row * dim..(row + 1) * dim]).copied().collect();
    let (labels, words) = counted(words);
    let labels = chosen.iter().map(|row| labels[*row]).collect();
    Ok(Rows { points, dim, size: None, labels, words })
}

/// The coordinates of a table, and its labels as words.
fn labelled_table(args: &Otdd, path: &Path, name: &str) -> Outcome<(Cloud, Vec<String>)> {
    let read = |columns: ColumnSelection| {
        read_table(path, &ReadOptions { columns: Some(columns), ..ReadOptions::default() })
    };
    // Other columns may be text where the coordinates are picked.
    if let Some(columns) = &args.columns {
        let (cloud, attributes) = read(columns.clone())?;
        if let Some(words) = attributes.words(name) {
            return Ok((cloud, words));
        }
    }
    // A message about the other columns would not say where labels come from.
    let column = ColumnSelection::from_iter([name.to_string()]);
    let (cloud, attributes) = read(column.others()).map_err(|error| match error.kind() {
        swgg_io::ErrorKind::UnknownColumn { .. } | swgg_io::ErrorKind::BadSelection { .. } => Failure::input(
            format!("{error} (--label-column names the column of labels, --labels a file of them)"),
        ),
        _ => error.into(),
    })?;
    let found = attributes.names().next().map(str::to_owned);
    let words = found.and_then(|name| attributes.words(&name)).ok_or_else(|| {
        Failure::input(format!(
            "{}: column {name} holds several values per point; name another one with --label-column",
            path.display()
        ))
    })?;
    match &args.columns {
        None => Ok((cloud, words)),
        Some(columns) => Ok((
            read_cloud(path, &ReadOptions { columns: Some(columns.clone()), ..ReadOptions::default() })?,
            words,
        )),
    }
}

/// Labels as whole numbers: as they are written, or words in sorted order.
fn counted(words: Vec<String>) -> (Vec<u32>, Option<Vec<String>>) {
    let numbers: Option<Vec<u32>> = words.iter().map(|word| word.trim().parse().ok()).collect();
    if let Some(numbers) = numbers {
        return (numbers, None);
    }
    let mut sorted = words.clone();
    sorted.sort();
    sorted.dedup();
    let place = |word: &String| sorted.partition_point(|other| other < word) as u32;
    (words.iter().map(place).collect(), Some(sorted))
}

/// Whole numbers from a file, one per point.
fn read_labels(path: &Path) -> Outcome<Vec<u32>> {
    let refuse = |why: String| Failure::input(format!("{}: {why}", path.display()));
    let numbers = if idx::is_named(path) {
        let found = idx::read(path)?;
        if found.shape.len() != 1 {
            let axes = found.shape.len();
            return Err(refuse(format!("it has {axes} axes, labels have one; name the file of the labels")));
        }
        (0..found.numbers.len()).map(|place| found.numbers.get(place)).collect()
    } else {
        read_vector(path)?
    };
    swgg::solver::read_labels(&numbers)
        .map_err(|(row, value)| refuse(format!("row {row} is {value}; labels are whole numbers from 0 on")))
}

fn same_count(path: &Path, found: usize, expected: usize) -> Outcome<()> {
    if found == expected {
        return Ok(());
    }
    let path = path.display();
    Err(Failure::input(format!("{path}: {found} labels for {expected} points; give one for each (--labels)")))
}

/// The rows that a sample takes, or all.
fn chosen(args: &Otdd, rows: usize) -> Outcome<Vec<usize>> {
    Ok(match args.samples {
        Some(count) => sample(rows, count, args.search.seed)?,
        None => (0..rows).collect(),
    })
}

/// Images of different sizes become those of the largest one, or of the one that was asked for.
fn bring_to_size(args: &Otdd, names: &[String], all: &mut [Rows], notes: &mut Vec<String>) -> Outcome<()> {
    let sizes: Option<Vec<Size>> = all.iter().map(|rows| rows.size).collect();
    let largest = sizes.filter(|sizes| sizes.iter().any(|size| *size != sizes[0])).map(|sizes| Size {
        height: sizes.iter().map(|size| size.height).max().unwrap_or(1),
        width: sizes.iter().map(|size| size.width).max().unwrap_or(1),
    });
    if let Some(to) = args.resize.or(largest) {
        for (name, rows) in names.iter().zip(all.iter_mut()) {
            let side = rows.dim.isqrt();
            let square = (side * side == rows.dim).then_some(Size { height: side, width: side });
            let from = rows.size.or(square).ok_or_else(|| {
                Failure::usage(format!(
                    "{name} has rows of {} numbers, which are no square images; leave --resize out",
                    rows.dim
                ))
            })?;
            if from != to {
                rows.points = resized(&rows.points, from, to)?;
                rows.dim = to.pixels();
                let [a, b] = [from, to].map(|size| format!("{} x {}", size.height, size.width));
                notes.push(format!("images of {name} resized from {a} to {b}, bilinear"));
            }
        }
    }
    let expected = all[0].dim;
    match all.iter().position(|rows| rows.dim != expected) {
        Some(k) => Err(Failure::input(format!(
            "{} has points of dimension {}, {} of {expected}; images are brought to one size by --resize HxW, columns are picked by --columns",
            names[k], all[k].dim, names[0]
        ))),
        None => Ok(()),
    }
}

/// What data sets are called: as asked, or after their files, with the directory where that tells more.
fn names(args: &Otdd) -> Vec<String> {
    if let Some(names) = &args.names {
        return names.clone();
    }
    let part = |name: Option<&std::ffi::OsStr>| name.map(|name| name.to_string_lossy().into_owned());
    let short = |path: &PathBuf| {
        let name = part(path.file_name()).unwrap_or_default();
        let name = name.strip_suffix(".gz").map(str::to_owned).unwrap_or(name);
        let name = name.split('.').next().unwrap_or_default().to_string();
        let name = name.split("-images").next().map(str::to_owned).unwrap_or(name);
        match (idx::is_named(path), part(path.parent().and_then(Path::file_name))) {
            // All of them are called train.
            (true, Some(directory)) => format!("{directory}/{name}"),
            _ => name,
        }
    };
    args.sets.iter().map(short).collect()
}
