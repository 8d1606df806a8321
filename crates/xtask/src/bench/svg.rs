//! What drawings of benchmarks have in common.

/// How a drawing begins: its size and title, its colours in the light and in the dark, and the ground.
pub fn head((width, height): (f64, f64), title: &str, css: impl Fn(usize) -> String) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<title>{title}</title>\n<style>\n{}@media (prefers-color-scheme: dark) {{\n{}}}\n</style>\n\
         <rect class=\"ground\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n",
        css(0),
        css(1)
    )
}
