use swgg_io::picture::*;
use std::path::Path;
// crop in out x y w h zoom
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let q = read(Path::new(&a[1])).unwrap(); let ch = q.channels; let Samples::U8(s) = &q.samples else { panic!() };
    let n = |k: usize| a[k].parse::<f64>().unwrap();
    let (x0, y0, w, h, z) = (n(3) as usize, n(4) as usize, n(5) as usize, n(6) as usize, n(7));
    let (w, h) = if w == 0 { (q.width, q.height) } else { (w, h) };
    let (ow, oh) = ((w as f64 * z) as usize, (h as f64 * z) as usize);
    let mut out = Vec::new();
    for y in 0..oh { for x in 0..ow { let (sx, sy) = (x0 + (x as f64 / z) as usize, y0 + (y as f64 / z) as usize); for c in 0..3 { out.push(s[(sy * q.width + sx) * ch + if ch > 2 { c } else { 0 }]); } } }
    write(swgg_io::Output::create(Path::new(&a[2])).unwrap(), &Picture::new(ow, oh, 3, Samples::U8(out)).unwrap()).unwrap().commit().unwrap();
}
