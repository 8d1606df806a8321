//! Parquet tables, as other programs write them.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::{Scene, refusal, strings};

type Group<'a> = SerializedRowGroupWriter<'a, File>;

/// A file of the given fields; each item of `groups` fills one row group.
pub fn table(fields: &str, compression: Compression, groups: &[&dyn Fn(&mut Group)]) -> Scene {
    let scene = Scene::new("a.parquet", "");
    let schema = Arc::new(parse_message_type(&format!("message schema {{ {fields} }}")).unwrap());
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let file = File::create(scene.path()).unwrap();
    let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
    for fill in groups {
        let mut group = writer.next_row_group().unwrap();
        fill(&mut group);
        group.close().unwrap();
    }
    writer.close().unwrap();
    scene
}

pub fn put<T: DataType>(group: &mut Group, values: &[T::T], levels: Option<&[i16]>) {
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<T>().write_batch(values, levels, None).unwrap();
    column.close().unwrap();
}

#[test]
fn numbers_of_every_type() {
    let fields = "required int32 a; required int64 b; required float c; required double d; required boolean e;
                  required int32 f (INTEGER(32, false)); required int64 g (UINT_64); required int32 h (INTEGER(8, true));";
    let scene = table(
        fields,
        Compression::UNCOMPRESSED,
        &[&|group| {
            put::<Int32Type>(group, &[-1, 2], None);
            put::<Int64Type>(group, &[-3, 1 << 60], None);
            put::<FloatType>(group, &[0.5, 1.5], None);
            put::<DoubleType>(group, &[0.1, f64::INFINITY], None);
            put::<BoolType>(group, &[true, false], None);
            put::<Int32Type>(group, &[-1, 0], None);
            put::<Int64Type>(group, &[i64::MIN, 5], None);
            put::<Int32Type>(group, &[-128, 127], None);
        }],
    );
    let cloud = scene.read();
    let big = f64::from(u32::MAX);
    let first = [-1.0, -3.0, 0.5, 0.1, 1.0, big, 2f64.powi(63), -128.0];
    let second = [2.0, 2f64.powi(60), 1.5, f64::INFINITY, 0.0, 0.0, 5.0, 127.0];
    assert_eq!(cloud.as_f64(), Some(&[first, second].concat()[..]));
    assert_eq!((cloud.dtype(), cloud.columns()), ("mixed", 8));
    for (column, dtype) in
        [("a", "int32"), ("c", "float32"), ("e", "bool"), ("f", "uint32"), ("g", "uint64"), ("h", "int8")]
    {
        assert_eq!(scene.pick(column).dtype(), dtype);
    }
    assert_eq!(scene.pick("c").as_f32(), Some(&[0.5, 1.5][..]));
}

#[test]
fn compressed_groups_of_floats() {
    let codecs = [
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::LZ4_RAW,
        Compression::GZIP(Default::default()),
    ];
    for compression in codecs {
        let fill = |group: &mut Group| {
            put::<FloatType>(group, &[1.0; 10_000], Some(&[1; 10_000]));
            put::<FloatType>(group, &[2.0; 10_000], None);
        };
        let scene = table("optional float x; required float y;", compression, &[&fill, &fill]);
        let cloud = scene.read();
        assert_eq!((cloud.rows(), cloud.columns(), cloud.dtype()), (20_000, 2, "float32"));
        assert!(cloud.as_f32().unwrap().chunks(2).all(|row| row == [1.0, 2.0]));
    }
}

#[test]
fn columns_that_are_not_numbers_are_left_out() {
    let fields = "required binary name (UTF8); required double x; required int64 t (TIMESTAMP(MICROS, true));
                  required int32 day (DATE); required int32 price (DECIMAL(9, 2)); required int64 __index_level_0__;
                  required group box { required double w; }";
    let scene = table(
        fields,
        Compression::SNAPPY,
        &[&|group| {
            put::<ByteArrayType>(group, &[ByteArray::from("a")], None);
            put::<DoubleType>(group, &[0.5], None);
            put::<Int64Type>(group, &[1], None);
            put::<Int32Type>(group, &[2], None);
            put::<Int32Type>(group, &[3], None);
            put::<Int64Type>(group, &[4], None);
            put::<DoubleType>(group, &[9.0], None);
        }],
    );
    let cloud = scene.read();
    assert_eq!(cloud.as_f64(), Some(&[0.5][..]));
    assert_eq!(cloud.ignored(), strings(&["name", "t", "day", "price", "__index_level_0__", "box.w"]));
    assert_eq!(scene.pick("__index_level_0__").as_f64(), Some(&[4.0][..]));
    for (column, held) in [
        ("name", "text or bytes"),
        ("t", "dates or times"),
        ("day", "dates or times"),
        ("price", "decimals"),
        ("box.w", "nested values"),
    ] {
        assert_eq!(
            scene.try_read(Some(column)).unwrap_err(),
            format!("column {column:?} holds {held}, not numbers; pick other columns")
        );
    }
    assert!(
        scene
            .try_read(Some("y"))
            .unwrap_err()
            .starts_with("there is no column \"y\"; the columns are name, x,")
    );
}

#[test]
fn nulls_say_where() {
    let fill = |group: &mut Group| put::<DoubleType>(group, &[1.0], Some(&[1]));
    let hole = |group: &mut Group| put::<DoubleType>(group, &[2.0], Some(&[1, 0]));
    let scene = table("optional double x;", Compression::SNAPPY, &[&fill, &hole]);
    assert_eq!(
        scene.refusal(),
        "row 2 (from 0), column \"x\" is null; fill it, drop the row or leave the column out"
    );
}

#[test]
fn inexact_integers_say_where() {
    let scene = table(
        "required int64 id;",
        Compression::SNAPPY,
        &[&|group| {
            put::<Int64Type>(group, &[0, i64::MAX], None);
        }],
    );
    assert_eq!(
        scene.refusal(),
        "row 1 (from 0), column \"id\": 9223372036854775807 is beyond 2^53 and has no exact 64-bit float; subtract \
         an offset or leave the column out"
    );
}

#[test]
fn tables_without_points() {
    let text = table(
        "required binary name (UTF8);",
        Compression::SNAPPY,
        &[&|group| {
            put::<ByteArrayType>(group, &[ByteArray::from("a")], None);
        }],
    );
    assert_eq!(text.refusal(), "holds no coordinates: it has no column of numbers; add at least one");
    let empty = table("required double x;", Compression::SNAPPY, &[]);
    assert_eq!(empty.refusal(), "holds no points: it has zero rows; add at least one");
    let not = refusal("a.parquet", "x,y\n1,2\n3,4\n5,6\n");
    assert!(not.starts_with("is not a valid parquet file: "), "{not}");
    let cut = std::fs::read(text.path()).unwrap();
    let cut = refusal("a.parquet", &cut[..cut.len() - 3]);
    assert!(cut.starts_with("is not a valid parquet file: "), "{cut}");
}

/// Lists of floats, as embeddings are stored: each of the lengths, numbered on.
fn lists(lengths: &[usize]) -> Scene {
    let fields = "required int32 id; optional group embedding (LIST) { repeated group list { optional float element; } }";
    table(
        fields,
        Compression::SNAPPY,
        &[&|group| {
            let ids: Vec<i32> = (0..lengths.len() as i32).collect();
            put::<Int32Type>(group, &ids, None);
            let values: Vec<f32> = (0..lengths.iter().sum::<usize>()).map(|k| k as f32).collect();
            let repetitions: Vec<i16> =
                lengths.iter().flat_map(|&length| (0..length).map(|k| i16::from(k > 0))).collect();
            let mut column = group.next_column().unwrap().unwrap();
            let levels = vec![3; values.len()];
            column.typed::<FloatType>().write_batch(&values, Some(&levels), Some(&repetitions)).unwrap();
            column.close().unwrap();
        }],
    )
}

#[test]
fn lists_of_one_length_are_points() {
    let scene = lists(&[3; 2000]);
    let cloud = scene.pick("embedding");
    assert_eq!((cloud.rows(), cloud.columns()), (2000, 3));
    assert_eq!(cloud.as_f32().unwrap()[..6], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(cloud.names().unwrap(), ["embedding_0", "embedding_1", "embedding_2"]);
    // Unless they are picked, plain numbers come first.
    assert_eq!((scene.read().columns(), scene.read().ignored()), (1, &strings(&["embedding"])[..]));
    let ragged = lists(&[3, 2]).try_read(Some("embedding")).unwrap_err();
    assert!(ragged.contains("has a list of 2 numbers in row 1 (from 0) and lists of 3 before"), "{ragged}");
    let both = scene.try_read(Some("id,embedding")).unwrap_err();
    assert_eq!(both, "column \"embedding\" holds lists, not numbers; pick other columns");
}
