"use strict";
// The canvas: points on their way, seen in two or three dimensions.

/** Bytes of a text in base64. */
function bytesOf(text) {
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) bytes[k] = raw.charCodeAt(k);
  return bytes;
}

/** Coordinates of a track, frame by frame, as numbers of the box. */
function placesOf(text, grid) {
  const bytes = bytesOf(text), dim = grid.low.length, count = bytes.length >> 1, places = new Float32Array(count);
  for (let k = 0; k < count; k++) {
    const share = (bytes[2 * k] | bytes[2 * k + 1] << 8) / 65535, axis = k % dim;
    places[k] = (grid.low[axis] * (1 - share) + grid.high[axis] * share - grid.center[axis]) / grid.unit;
  }
  return places;
}

/** Turned to the left, and seen from above: radians at the beginning. */
const HOME = [0.6, 0.45];

/** What is drawn, and from where it is looked at. */
class View {
  constructor(canvas, scene) {
    this.canvas = canvas;
    this.pen = canvas.getContext("2d");
    this.dim = scene.dim;
    this.steps = scene.steps;
    this.axes = scene.axes;
    const { low, high } = scene.view, grid = scene.grid;
    // Places are kept around the middle of the view, the largest side of which is 2: single precision is enough then.
    grid.center = low.map((x, k) => x / 2 + high[k] / 2);
    grid.unit = Math.max(...low.map((x, k) => high[k] / 2 - x / 2)) || 1;
    this.half = low.map((x, k) => (high[k] / 2 - x / 2) / grid.unit);
    const local = (point) => point.map((x, k) => (x - grid.center[k]) / grid.unit);
    this.tracks = scene.tracks.map((track) => ({
      ...track,
      places: placesOf(track.points, grid),
      masses: track.masses && bytesOf(track.masses),
      costs: track.costs && bytesOf(track.costs),
      spin: track.spin && { ...track.spin, center: local(track.spin.center), shift: track.spin.shift.map((x) => x / grid.unit) },
      now: new Float32Array(track.count * scene.dim),
    }));
    this.dearest = scene.dearest.map(({ from, to }) => ({ from: local(from), to: local(to) }));
    this.marked = new Set();
    this.lines = scene.lines;
    this.t = 0;
    this.home();
    this.look();
  }

  /** The view of the beginning. */
  home() {
    this.zoom = 1;
    this.shift = [0, 0];
    [this.yaw, this.pitch] = HOME;
  }

  /** Reads the colours of the page. */
  look() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    this.colors = Array.from({ length: 10 }, (_, k) => color("--c" + k));
    this.ink = color("--ink");
    this.soft = color("--soft");
    const ends = [color("--cheap"), color("--middle"), color("--dear")].map(channels);
    this.ramp = Array.from({ length: 16 }, (_, k) => {
      const place = k / 15 * 2, i = place < 1 ? 0 : 1;
      return css(mix(ends[i], ends[i + 1], place - i));
    });
  }

  /** As many pixels as the screen has. */
  fit() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2), box = this.canvas.getBoundingClientRect();
    this.width = Math.max(box.width, 50);
    this.height = Math.max(box.height, 50);
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  }

  /** How far nearly all points reach across and up, seen as at the beginning; the whole box where some of them turn. */
  reach() {
    if (this.reached) return this.reached;
    const [cy, sy, cp, sp] = [Math.cos(HOME[0]), Math.sin(HOME[0]), Math.cos(HOME[1]), Math.sin(HOME[1])], [a, b, c] = this.half;
    const box = [cy * a + sy * b, cp * c + sp * (sy * a + cy * b)], across = [], up = [];
    for (const { places } of this.tracks) {
      const step = 3 * Math.max(1, Math.floor(places.length / 9000));
      for (let k = 0; k + 2 < places.length; k += step) {
        across.push(Math.abs(cy * places[k] - sy * places[k + 1]));
        up.push(Math.abs(cp * places[k + 2] + sp * (sy * places[k] + cy * places[k + 1])));
      }
    }
    const most = (values, limit) => Math.min(limit, 1.04 * values.sort((x, y) => x - y)[Math.floor(0.997 * (values.length - 1))] || limit);
    const turns = this.tracks.some((track) => track.spin);
    return this.reached = turns || !across.length ? box : [most(across, box[0]), most(up, box[1])];
  }

  /** From places to pixels: x, y and how far in front. */
  prepare() {
    const [cy, sy, cp, sp] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    const reach = this.dim === 3 ? this.reach() : this.half;
    const scale = 0.94 * Math.min(this.width / (2 * reach[0]), this.height / (2 * reach[1])) * this.zoom;
    const x0 = this.width / 2 + this.shift[0], y0 = this.height / 2 + this.shift[1], out = [0, 0, 0];
    this.scale = scale;
    if (this.dim === 2) {
      return (p, k) => {
        out[0] = x0 + scale * p[k];
        out[1] = y0 - scale * p[k + 1];
        return out;
      };
    }
    return (p, k) => {
      const x = cy * p[k] - sy * p[k + 1], away = sy * p[k] + cy * p[k + 1], z = p[k + 2];
      out[0] = x0 + scale * x;
      out[1] = y0 - scale * (cp * z + sp * away);
      out[2] = sp * z - cp * away;
      return out;
    };
  }

  /** Where the points of a track are at this moment. */
  walk(track) {
    const { places, now, count, frames, spin } = track, size = count * this.dim;
    if (spin) return this.turn(track);
    if (frames === 1) return places;
    const along = this.t * (frames - 1), first = Math.min(Math.floor(along), frames - 2), share = along - first;
    const a = first * size, b = a + size;
    for (let k = 0; k < size; k++) now[k] = places[a + k] * (1 - share) + places[b + k] * share;
    return now;
  }

  /** A turn about a point that moves, as far as the slider says. */
  turn({ places, now, count, spin }) {
    const { center: c, shift: d, axis: u } = spin, t = this.t, dim = this.dim;
    const scale = Math.pow(spin.scale, t), cos = Math.cos(t * spin.angle), sin = Math.sin(t * spin.angle);
    for (let k = 0; k < count * dim; k += dim) {
      const x = places[k] - c[0], y = places[k + 1] - c[1];
      if (dim === 2) {
        now[k] = c[0] + t * d[0] + scale * (cos * x - sin * y);
        now[k + 1] = c[1] + t * d[1] + scale * (sin * x + cos * y);
        continue;
      }
      const z = places[k + 2] - c[2], along = (1 - cos) * (u[0] * x + u[1] * y + u[2] * z);
      now[k] = c[0] + t * d[0] + scale * (cos * x + sin * (u[1] * z - u[2] * y) + along * u[0]);
      now[k + 1] = c[1] + t * d[1] + scale * (cos * y + sin * (u[2] * x - u[0] * z) + along * u[1]);
      now[k + 2] = c[2] + t * d[2] + scale * (cos * z + sin * (u[0] * y - u[1] * x) + along * u[2]);
    }
    return now;
  }

  draw() {
    const pen = this.pen, see = this.prepare();
    pen.clearRect(0, 0, this.width, this.height);
    if (this.lines) for (const track of this.tracks) this.drawLines(track, see);
    const total = this.tracks.reduce((sum, track) => sum + track.count, 0);
    for (const track of this.tracks) {
      const moving = track.frames > 1, last = (track.frames - 1) * track.count * this.dim;
      // Where points come from and where they go stays visible, paler.
      if (moving && track.end) {
        this.drawPoints(track, track.places, 0, track.colors[0], 0.4, see, total);
        this.drawPoints(track, track.places, last, track.colors[1], 0.55, see, total);
      }
      const from = channels(this.colors[track.colors[0]]), to = channels(this.colors[track.colors[1]]);
      const color = css(mix(from, to, moving ? this.t : 0));
      this.drawPoints(track, this.walk(track), 0, color, moving || track.spin ? 0.95 : 0.6, see, total);
    }
    this.drawMarks(see);
    if (this.dim === 3) this.drawAxes(see);
  }

  drawLines(track, see) {
    if (track.frames < 2) return;
    const pen = this.pen, { places, count, frames, costs } = track, size = count * this.dim;
    const step = Math.max(1, Math.ceil(count / 500)), groups = Array.from({ length: 16 }, () => []);
    for (let i = 0; i < count; i += step) groups[costs ? costs[i] >> 4 : 2].push(i);
    pen.lineWidth = 1;
    pen.globalAlpha = count > 200 ? 0.6 : 0.85;
    // The dear ones on top.
    groups.forEach((group, k) => {
      if (!group.length) return;
      pen.strokeStyle = this.ramp[k];
      pen.beginPath();
      for (const i of group) {
        for (let frame = 0; frame < frames; frame++) {
          const [x, y] = see(places, frame * size + i * this.dim);
          if (frame === 0) pen.moveTo(x, y); else pen.lineTo(x, y);
        }
      }
      pen.stroke();
    });
    pen.globalAlpha = 1;
  }

  drawPoints(track, places, start, color, alpha, see, total) {
    const pen = this.pen, dim = this.dim, { count, masses } = track;
    const size = (total > 60000 ? 1.3 : total > 8000 ? 2 : total > 1500 ? 3 : total > 300 ? 3.8 : 5.5) * Math.min(Math.sqrt(this.zoom), 3);
    pen.fillStyle = typeof color === "number" ? this.colors[color] : color;
    const round = count <= 3000;
    // Points further away are smaller and paler.
    const layers = dim === 3 ? 4 : 1, reach = 1.2;
    for (let layer = 0; layer < layers; layer++) {
      const share = layers === 1 ? 1 : (layer + 1) / layers;
      pen.globalAlpha = alpha * (0.45 + 0.55 * share);
      for (let i = 0; i < count; i++) {
        const [x, y, z] = see(places, start + i * dim);
        if (layers > 1 && Math.max(0, Math.min(layers - 1, Math.floor((z / reach + 1) / 2 * layers))) !== layer) continue;
        if (x < -9 || y < -9 || x > this.width + 9 || y > this.height + 9) continue;
        const side = size * (0.75 + 0.35 * share) * (masses ? Math.max(0.35, Math.sqrt(masses[i] / 255) * 1.3) : 1);
        if (round) {
          pen.beginPath();
          pen.arc(x, y, side / 2, 0, 6.2832);
          pen.fill();
        } else {
          pen.fillRect(x - side / 2, y - side / 2, side, side);
        }
      }
    }
    pen.globalAlpha = 1;
  }

  drawMarks(see) {
    const pen = this.pen;
    for (const k of this.marked) {
      const { from, to } = this.dearest[k], [a, b] = see(from, 0), [x, y] = see(to, 0);
      pen.strokeStyle = this.ink;
      pen.lineWidth = 2.5;
      pen.beginPath();
      pen.moveTo(a, b);
      pen.lineTo(x, y);
      pen.stroke();
      for (const [p, q] of [[a, b], [x, y]]) {
        pen.beginPath();
        pen.arc(p, q, 8, 0, 6.2832);
        pen.stroke();
      }
    }
  }

  /** Three short arms in the corner say how space is turned. */
  drawAxes(see) {
    const pen = this.pen, unit = 26 / this.scale, [x0, y0] = see([0, 0, 0], 0).slice(), at = [40, this.height - 40];
    pen.font = "12px system-ui, sans-serif";
    pen.fillStyle = pen.strokeStyle = this.soft;
    pen.lineWidth = 1.5;
    this.axes.forEach((name, k) => {
      const arm = [0, 0, 0];
      arm[k] = unit;
      const [x, y] = see(arm, 0);
      pen.beginPath();
      pen.moveTo(...at);
      pen.lineTo(at[0] + x - x0, at[1] + y - y0);
      pen.stroke();
      pen.fillText(name, at[0] + 1.35 * (x - x0) - 3, at[1] + 1.35 * (y - y0) + 4);
    });
  }
}

/** Red, green and blue of a colour of the page, which is written as #rrggbb. */
function channels(color) {
  return [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16) || 0);
}

function mix(a, b, share) {
  return a.map((x, k) => Math.round(x * (1 - share) + b[k] * share));
}

function css([r, g, b]) {
  return `rgb(${r},${g},${b})`;
}
