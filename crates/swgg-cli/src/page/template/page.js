// Hands on the page: sliders, keys, fingers, marks.
(function () {
  const root = document.documentElement, asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("theme")) root.dataset.theme = asked.get("theme");

  // Pictures before and after.
  root.classList.add("ready");
  for (const wipe of document.querySelectorAll(".wipe")) {
    const cut = () => wipe.parentElement.style.setProperty("--cut", wipe.value / 10 + "%");
    wipe.addEventListener("input", cut);
    if (asked.has("t")) wipe.value = 1000 * asked.get("t");
    cut();
  }

  const scene = JSON.parse(document.getElementById("data").textContent), canvas = document.getElementById("canvas");
  if (!canvas || !scene.tracks) {
    root.dataset.ready = "1";
    return;
  }
  const view = new View(canvas, scene);
  const walk = document.getElementById("walk"), moment = document.getElementById("moment"), play = document.getElementById("play");
  const lines = document.getElementById("lines");

  let waiting = false;
  /** Draws once before the next picture of the screen, however often it is asked. */
  function redraw() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      view.draw();
    });
  }

  function go(t) {
    view.t = Math.min(1, Math.max(0, t || 0));
    if (walk) {
      walk.value = Math.round(1000 * view.t);
      let told = "t = " + view.t.toFixed(2);
      if (view.steps) {
        const along = view.t * (view.steps.length - 1), first = Math.floor(along), next = Math.min(first + 1, view.steps.length - 1);
        told += ", step " + Math.round(view.steps[first] + (along - first) * (view.steps[next] - view.steps[first]));
      }
      moment.textContent = told;
      walk.setAttribute("aria-valuetext", told);
    }
    redraw();
  }

  // The walk, by hand or by itself: there in four seconds, a rest, and again.
  let playing = false, before = 0, rest = 0;
  function tick(time) {
    if (!playing) return;
    const passed = Math.min(time - before, 100);
    before = time;
    if (view.t >= 1) {
      rest += passed;
      if (rest > 900) go(rest = 0);
    } else {
      go(view.t + passed / 4000);
    }
    requestAnimationFrame(tick);
  }
  function setPlaying(on) {
    playing = on;
    play.textContent = on ? "Pause" : "Play";
    play.setAttribute("aria-pressed", on);
    if (on) {
      if (view.t >= 1) go(0);
      before = performance.now();
      requestAnimationFrame(tick);
    }
  }
  if (walk) {
    walk.addEventListener("input", () => {
      setPlaying(false);
      go(walk.value / 1000);
    });
    play.addEventListener("click", () => setPlaying(!playing));
  }
  if (lines) {
    lines.addEventListener("change", () => {
      view.lines = lines.checked;
      redraw();
    });
  }

  // Turning, moving, zooming.
  function zoomAt(factor, x, y) {
    const zoom = Math.min(200, Math.max(0.2, view.zoom * factor)), by = zoom / view.zoom;
    view.shift = [x - view.width / 2, y - view.height / 2].map((from, k) => from - (from - view.shift[k]) * by);
    view.zoom = zoom;
    redraw();
  }
  function drag(dx, dy, moves) {
    if (view.dim === 3 && !moves) {
      view.yaw += dx * 0.008;
      view.pitch = Math.min(1.57, Math.max(-1.57, view.pitch + dy * 0.008));
    } else {
      view.shift[0] += dx;
      view.shift[1] += dy;
    }
    redraw();
  }
  const fingers = new Map();
  const middle = () => {
    const all = [...fingers.values()], sum = (k) => all.reduce((s, p) => s + p[k], 0) / all.length;
    return [sum(0), sum(1), all.length > 1 ? Math.hypot(all[0][0] - all[1][0], all[0][1] - all[1][1]) : 0];
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const [x, y, apart] = middle();
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    const [u, v, now] = middle();
    drag(u - x, v - y, event.shiftKey || fingers.size > 1 || event.buttons > 1);
    if (apart > 0 && now > 0) zoomAt(now / apart, u, v);
  });
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    canvas.addEventListener(name, (event) => fingers.delete(event.pointerId));
  }
  canvas.addEventListener("wheel", (event) => {
    // A page that is scrolled past must not get stuck here.
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), event.offsetX, event.offsetY);
  }, { passive: false });
  canvas.addEventListener("dblclick", () => {
    view.home();
    redraw();
  });
  const arrows = { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (arrows[event.key]) drag(...arrows[event.key], event.shiftKey);
    else if (event.key === "+" || event.key === "=") zoomAt(1.25, view.width / 2, view.height / 2);
    else if (event.key === "-") zoomAt(0.8, view.width / 2, view.height / 2);
    else if (event.key === "0") view.home();
    else if (event.key === " " && walk) setPlaying(!playing);
    else return;
    event.preventDefault();
    redraw();
  });

  // The dearest points.
  for (const button of document.querySelectorAll("[data-dear]")) {
    button.addEventListener("click", () => {
      const k = Number(button.dataset.dear), on = !view.marked.has(k);
      if (on) view.marked.add(k); else view.marked.delete(k);
      button.setAttribute("aria-pressed", on);
      if (on) canvas.scrollIntoView({ block: "nearest" });
      redraw();
    });
  }

  function again() {
    view.fit();
    view.look();
    view.draw();
  }
  window.addEventListener("resize", again);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  window.addEventListener("hashchange", () => go(Number(new URLSearchParams(location.hash.slice(1)).get("t"))));
  view.fit();
  go(Number(asked.get("t")));
  view.draw();
  root.dataset.ready = "1";
})();
