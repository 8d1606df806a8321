//! Files packed by gzip and zstd, read and written.

use std::fs;
use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use swgg_io::{Format, Output, PlanFormat, read_plan, writable_extensions, write_cloud, write_plan};

use super::{Scene, refusal};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

const TEXT: &[u8] = b"x,y\n1,2\n3,4\n";

#[test]
fn packed_files_are_what_is_in_them() {
    let zstd = zstd::encode_all(TEXT, 3).unwrap();
    // Two members one after the other are one file, and names do not matter.
    let twice = [gzip(b"x,y\n1,2\n"), gzip(b"3,4\n")].concat();
    for (name, bytes) in [
        ("a.csv.gz", gzip(TEXT)),
        ("a.csv.zst", zstd.clone()),
        ("a.CSV.GZ", gzip(TEXT)),
        ("a.csv.gz", twice),
        ("a.csv", gzip(TEXT)),
        ("a.csv.gz", TEXT.to_vec()),
        ("a.csv.gz", zstd),
    ] {
        let cloud = Scene::new(name, bytes).read();
        assert_eq!(cloud.as_f64(), Some(&[1.0, 2.0, 3.0, 4.0][..]), "{name}");
        assert_eq!(cloud.format(), Format::Csv);
    }
}

#[test]
fn damage_is_told() {
    let whole = gzip(TEXT);
    let cut = refusal("a.csv.gz", &whole[..whole.len() - 3]);
    assert_eq!(cut, "cannot be unpacked by gzip: it ends too early; copy it again");
    let mut wrong = whole;
    let at = wrong.len() - 6;
    wrong[at] ^= 1;
    assert!(refusal("a.csv.gz", wrong).starts_with("cannot be unpacked by gzip: "));
    let zstd = zstd::encode_all(TEXT, 3).unwrap();
    assert!(refusal("a.csv.zst", &zstd[..zstd.len() - 2]).starts_with("cannot be unpacked by zstd: "));
    assert_eq!(refusal("a.csv.gz", gzip(b"")), "the file is empty; it should hold one point per row");
    assert!(refusal("a.gz", gzip(TEXT)).starts_with("the extension \".gz\" is not a known format"));
}

#[test]
fn every_format_is_written_packed() {
    for extension in writable_extensions() {
        for packing in [".gz", ".zst"] {
            let scene = Scene::new(format!("a{extension}{packing}"), "");
            let format = Format::from_path(&scene.path()).unwrap();
            let output = Output::create(&scene.path()).unwrap();
            write_cloud(output, format, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], None).unwrap().commit().unwrap();
            let start = fs::read(scene.path()).unwrap();
            let mark: &[u8] = if packing == ".gz" { &[0x1f, 0x8b] } else { &[0x28, 0xb5] };
            assert!(start.starts_with(mark), "{extension}{packing}");
            assert_eq!((scene.read().rows(), scene.read().columns()), (2, 3), "{extension}{packing}");
            assert_eq!(
                fs::read_dir(scene.path().parent().unwrap()).unwrap().count(),
                1,
                "nothing else is left"
            );
        }
    }
}

#[test]
fn plans_come_back_from_every_format() {
    let entries = [(0, 2, 0.25), (1, 0, 0.5), (1, 3, 0.25)];
    for extension in PlanFormat::EXTENSIONS.iter().flat_map(|e| [(*e).to_string(), format!("{e}.gz")]) {
        let scene = Scene::new(format!("plan{extension}"), "");
        let format = PlanFormat::from_path(&scene.path()).unwrap();
        let output = Output::create(&scene.path()).unwrap();
        write_plan(output, format, 2, 4, entries.into_iter()).unwrap().commit().unwrap();
        let plan = read_plan(&scene.path()).unwrap();
        assert_eq!((&plan.entries[..], plan.extent()), (&entries[..], (2, 4)), "{extension}");
    }
    let refused = |name: &str, text: &str| read_plan(&Scene::new(name, text).path()).unwrap_err().to_string();
    assert!(refused("a.csv", "x,y\n1,2\n").contains("is not a plan: it has no column \"source\""));
    assert!(refused("a.csv", "source,target,mass\n0,0.5,1\n").contains("line 2 goes from 0 to 0.5"));
    assert!(refused("a.csv", "source,target,mass\n0,0,-1\n").contains("the mass from 0 to 0 is -1"));
}
