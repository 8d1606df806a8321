use swgg_io::picture::{Picture, Samples, read, write};
use swgg_apps::color::{Image, Settings, transfer};
use std::path::Path;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let get = |p: &str| { let q = read(Path::new(p)).unwrap(); let c = q.channels; let samples = q.samples; let Samples::U8(s) = &samples else { panic!() }; let v: Vec<[u8;3]> = s.chunks(c).map(|x| [x[0], x[1], x[2]]).collect(); (q.width, q.height, v) };
    let (w, h, s) = get(&a[1]);
    let (rw, _, r) = get(&a[2]);
    let t = std::time::Instant::now();
    let out = transfer(&Image::new(w, &s).unwrap(), &Image::new(rw, &r).unwrap(), &Settings { smoothing: a[4].parse().unwrap(), ..Default::default() }).unwrap();
    eprintln!("{:?} smoothing {} cost {} cells {:?} {} ", t.elapsed(), a[4], out.cost, out.cells, out.story);
    let hist = |v: &[[u8;3]]| { let mut v = v.to_vec(); v.sort(); v };
    if s.len() == r.len() { eprintln!("same histogram {}", hist(&out.pixels) == hist(&r)); }
    let pic = Picture::new(w, h, 3, Samples::U8(out.pixels.concat())).unwrap();
    write(swgg_io::Output::create(Path::new(&a[3])).unwrap(), &pic).unwrap().commit().unwrap();
}
