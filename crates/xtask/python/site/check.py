"""Looks at pages that were built: every link leads somewhere inside, and nothing is fetched from elsewhere."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Attributes by which a page fetches something when it is opened. A link to be clicked on is no such thing.
FETCHED = {("script", "src"), ("img", "src"), ("source", "src"), ("iframe", "src"), ("video", "src"), ("object", "data"), ("embed", "src")}
# Kinds of `<link>` that are fetched.
LINKED = {"stylesheet", "icon", "preload", "modulepreload", "manifest", "shortcut icon"}


class Page(HTMLParser):
    """Anchors and links of one page."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.fetched = {""}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        for name in ("id", "name"):
            if given.get(name):
                self.anchors.add(given[name])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        for owner, name in FETCHED:
            if tag == owner and given.get(name):
                self.fetched.append(given[name])
        if tag == "link" and given.get("rel") in LINKED and given.get("href"):
            self.fetched.append(given["href"])


def links(html):
    """Ends the program if a link of a page of ours is broken, or if a page fetches anything from a network."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(html.rglob("*.html"))}
    # What cargo doc wrote is checked by cargo doc; the way there is checked here.
    ours = {path: page for path, page in pages.items() if path.relative_to(html).parts[0] != "rust"}
    wrong, seen = [], 0
    for path, page in ours.items():
        name = path.relative_to(html)
        for target in page.fetched:
            if target.startswith(("http:", "https:", "//")):
                wrong.append(f"{name}: fetches {target}")
        for target in [*page.links, *page.fetched]:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            seen += 1
            place = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = place / "index.html" if place.is_dir() else place
            if not place.exists():
                wrong.append(f"{name}: {target} leads nowhere")
            elif place in pages and unquote(parts.fragment) not in pages[place].anchors:
                wrong.append(f"{name}: {target} has no such place")
    for sheet in html.rglob("*.css"):
        text = sheet.read_text("utf-8", errors="replace")
        if "rust" not in sheet.relative_to(html).parts[:1] and ("url(http" in text or "url(//" in text or '@import "http' in text):
            wrong.append(f"{sheet.relative_to(html)}: fetches from a network")
    if wrong:
        sys.exit("\n".join([*sorted(set(wrong)), f"{len(set(wrong))} links of the site are wrong"]))
    print(f"{len(ours)} pages, {seen} links inside, nothing is fetched from elsewhere")


if __name__ == "__main__":
    links(Path(sys.argv[1]).resolve())
