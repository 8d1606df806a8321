//! Pictures inside a page: small, and before and after under one slider.

use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, ImageEncoder};

use super::base64::encoded;
use super::html::escaped;
use crate::exit::{Failure, Outcome};

/// A picture as it is shown.
pub struct Shown {
    pub label: String,
    /// Pixels of a row.
    pub width: usize,
    pub pixels: Vec<[u8; 3]>,
}

/// How much is kept of a picture: more than an eye sees at this size.
const QUALITY: u8 = 88;

impl Shown {
    pub fn height(&self) -> usize {
        self.pixels.len() / self.width.max(1)
    }

    /// As an image of a page.
    fn html(&self, class: &str) -> Outcome<String> {
        let mut bytes = Vec::new();
        let (width, height) = (self.width as u32, self.height() as u32);
        JpegEncoder::new_with_quality(&mut bytes, QUALITY)
            .write_image(self.pixels.as_flattened(), width, height, ExtendedColorType::Rgb8)
            .map_err(|error| Failure::new(format!("could not encode the picture: {error}")))?;
        Ok(format!(
            "<img class=\"{class}\" width=\"{width}\" height=\"{height}\" alt=\"{}\" src=\"data:image/jpeg;base64,{}\">",
            escaped(&self.label),
            encoded(&bytes)
        ))
    }
}

/// Two pictures of one size in one place, and a slider between them; without a script both are below each other.
pub fn before_after(before: &Shown, after: &Shown) -> Outcome<String> {
    let label = format!("how much is shown of {}", after.label);
    Ok(format!(
        "<figure class=\"pair\"><div class=\"stack\">{}{}<input type=\"range\" class=\"live wipe\" min=\"0\" max=\"1000\" \
         value=\"500\" aria-label=\"{}\"></div>\n<figcaption><span>left: {}</span><span>right: {}</span></figcaption></figure>\n",
        before.html("before")?,
        after.html("after")?,
        escaped(&label),
        escaped(&before.label),
        escaped(&after.label),
    ))
}

/// A picture alone.
pub fn alone(picture: &Shown) -> Outcome<String> {
    Ok(format!(
        "<figure class=\"small\">{}<figcaption>{}</figcaption></figure>\n",
        picture.html("alone")?,
        escaped(&picture.label)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_inside_and_can_be_read() {
        let picture = |label: &str, level: u8| Shown {
            label: label.to_string(),
            width: 8,
            pixels: vec![[level, 100, 200]; 48],
        };
        let text = before_after(&picture("a<b", 10), &picture("after", 240)).unwrap();
        assert_eq!(text.matches("data:image/jpeg;base64,/9j/").count(), 2);
        assert!(text.contains("a&lt;b") && text.contains("height=\"6\""));
    }
}
