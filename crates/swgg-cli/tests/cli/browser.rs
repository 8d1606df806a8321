//! A browser without a window that is told what to do: a hand on the mouse, on the keys and on the screen.
//!
//! Commands go through a pipe as JSON, each ended by a zero byte (the DevTools protocol, `--remote-debugging-pipe`).

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long a page may take to answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where the browser is, if there is one.
pub fn browser() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|place| names.map(|name| place.join(name)))
        .find(|file| file.is_file())
}

/// A page in a browser.
pub struct Hands {
    browser: Child,
    commands: ChildStdin,
    answers: Receiver<Value>,
    sent: u64,
    session: Option<String>,
    /// What went wrong on the page.
    pub complaints: Vec<String>,
}

impl Hands {
    /// Opens a page, and waits until it is drawn. `profile` is a directory of its own.
    pub fn on(browser: &Path, profile: &Path, page: &Path) -> Self {
        let mut browser = Command::new("sh")
            // The browser reads commands from file 3 and answers to file 4.
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null"])
            .arg(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"])
            .args(["--remote-debugging-pipe", "--window-size=1000,900", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (commands, told) = (browser.stdin.take().unwrap(), browser.stdout.take().unwrap());
        let (send, answers) = channel();
        std::thread::spawn(move || {
            for message in BufReader::new(told).split(0).map_while(Result::ok) {
                let Ok(value) = serde_json::from_slice(&message) else { return };
                if send.send(value).is_err() {
                    return;
                }
            }
        });
        let mut hands = Hands { browser, commands, answers, sent: 0, session: None, complaints: Vec::new() };
        let tab = hands.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let tab = json!({ "targetId": tab["targetId"], "flatten": true });
        let session = hands.ask("Target.attachToTarget", tab);
        hands.session = session["sessionId"].as_str().map(String::from);
        for domain in ["Runtime.enable", "Log.enable", "Page.enable"] {
            hands.ask(domain, json!({}));
        }
        hands.ask("Page.navigate", json!({ "url": format!("file://{}", page.display()) }));
        // A page that has not begun yet has no root.
        hands.wait_for("document.documentElement?.dataset.ready === '1'");
        hands
    }

    /// Sends a command and waits for its answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({ "id": self.sent, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        write!(self.commands, "{message}\0").unwrap();
        self.commands.flush().unwrap();
        loop {
            let mut answer =
                self.answers.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            match answer["method"].as_str() {
                Some("Runtime.exceptionThrown") => self.complaints.push(answer["params"].to_string()),
                Some("Log.entryAdded") if answer["params"]["entry"]["level"] == "error" => {
                    self.complaints.push(answer["params"]["entry"].to_string());
                }
                _ => {}
            }
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
        }
    }

    /// What an expression of the page is.
    pub fn value(&mut self, expression: &str) -> Value {
        let found = self.ask("Runtime.evaluate", json!({ "expression": expression, "returnByValue": true }));
        assert!(found["exceptionDetails"].is_null(), "{expression}: {found}");
        found["result"]["value"].clone()
    }

    /// Waits until something is true of the page.
    pub fn wait_for(&mut self, expression: &str) {
        let clock = Instant::now();
        while self.value(expression) != true {
            assert!(clock.elapsed() < PATIENCE, "{expression} did not become true; {:?}", self.complaints);
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// What is drawn, to the pixel.
    pub fn drawn(&mut self) -> String {
        let picture = self.value("document.getElementById('canvas').toDataURL()");
        picture.as_str().unwrap().to_string()
    }

    /// Waits until the picture is another one than it was.
    pub fn leaves(&mut self, before: &str, by: &str) {
        self.wait_to_see(&format!("the picture is the same after {by}"), |now| now != before);
    }

    /// Waits until the picture is this one.
    pub fn becomes(&mut self, after: &str, by: &str) {
        self.wait_to_see(&format!("the picture is another one after {by}"), |now| now == after);
    }

    fn wait_to_see(&mut self, otherwise: &str, is_seen: impl Fn(&str) -> bool) {
        let clock = Instant::now();
        while !is_seen(&self.drawn()) {
            assert!(clock.elapsed() < PATIENCE, "{otherwise}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// The middle of an element, in pixels of the window.
    pub fn middle(&mut self, id: &str) -> (f64, f64) {
        self.value(&format!("document.getElementById('{id}').scrollIntoView({{ block: 'center' }})"));
        let mut side = |at: &str, size: &str| {
            let box_of = format!("document.getElementById('{id}').getBoundingClientRect()");
            self.value(&format!("{box_of}.{at} + {box_of}.{size} / 2")).as_f64().unwrap()
        };
        (side("left", "width"), side("top", "height"))
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64), more: Value) {
        let mut params = json!({ "type": kind, "x": x, "y": y });
        more.as_object().unwrap().iter().for_each(|(key, value)| params[key] = value.clone());
        self.ask("Input.dispatchMouseEvent", params);
    }

    pub fn click(&mut self, place: (f64, f64)) {
        let once = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
        self.mouse("mousePressed", place, once.clone());
        self.mouse("mouseReleased", place, once);
    }

    /// Presses, moves and lets go.
    pub fn drag(&mut self, (x, y): (f64, f64), (dx, dy): (f64, f64)) {
        let held = json!({ "button": "left", "buttons": 1, "clickCount": 1 });
        self.mouse("mousePressed", (x, y), held.clone());
        for share in [0.5, 1.0] {
            self.mouse("mouseMoved", (x + share * dx, y + share * dy), held.clone());
        }
        self.mouse("mouseReleased", (x + dx, y + dy), held);
    }

    pub fn wheel(&mut self, place: (f64, f64), by: f64) {
        self.mouse("mouseWheel", place, json!({ "deltaX": 0, "deltaY": by }));
    }

    /// Two fingers that part.
    pub fn pinch(&mut self, (x, y): (f64, f64)) {
        let fingers =
            |apart: f64| json!([{ "x": x - apart, "y": y, "id": 0 }, { "x": x + apart, "y": y, "id": 1 }]);
        for (kind, points) in [
            ("touchStart", fingers(30.0)),
            ("touchMove", fingers(60.0)),
            ("touchMove", fingers(90.0)),
            ("touchEnd", json!([])),
        ] {
            self.ask("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": points }));
        }
    }

    /// A key by its name, such as `ArrowLeft` or `0`.
    pub fn key(&mut self, name: &str) {
        let mut key = json!({ "type": "keyDown", "key": name, "code": name });
        if name.chars().count() == 1 {
            key["text"] = name.into();
        }
        self.ask("Input.dispatchKeyEvent", key.clone());
        key["type"] = "keyUp".into();
        self.ask("Input.dispatchKeyEvent", key);
    }
}

impl Drop for Hands {
    fn drop(&mut self) {
        // It ends when its pipe does; nobody waits for that.
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}
