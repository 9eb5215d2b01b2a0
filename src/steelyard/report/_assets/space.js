"use strict";
// Pictures in space that a reader turns with the mouse or the arrow keys: parallel projection, metres alike on all axes.
const plotInSpace = (() => {
  const { svg, html, stroke, path, marker, short, legend } = Figure;
  const START = { turn: 0.8, tilt: 0.45, zoom: 1 };

  return (place, { data, layout }) => {
    const hidden = new Set();
    const view = { ...START };
    const shown = (trace) => !hidden.has(trace.group ?? trace.name);
    const canvas = html("div", { class: "canvas in-space", tabindex: "0", role: "img", "aria-label": place.getAttribute("aria-label") });
    place.removeAttribute("role");
    place.removeAttribute("aria-label");
    place.append(canvas, legend(data, hidden, () => draw()));

    const low = [0, 1, 2].map((k) => Math.min(...data.flatMap((trace) => trace["xyz"[k]].filter((v) => v !== null))));
    const high = [0, 1, 2].map((k) => Math.max(...data.flatMap((trace) => trace["xyz"[k]].filter((v) => v !== null))));
    const middle = low.map((v, k) => (v + high[k]) / 2);
    const radius = Math.hypot(...low.map((v, k) => high[k] - v)) / 2 || 1;
    const raw = radius / 3, power = 10 ** Math.floor(Math.log10(raw));
    const cell = [1, 2, 5, 10].find((nice) => nice * power >= raw) * power;

    // px a metre at which all that is drawn, seen as at first, fills the canvas.
    const fit = (width, height) => {
      const [ct, st, cp, sp] = [Math.cos(START.turn), Math.sin(START.turn), Math.cos(START.tilt), Math.sin(START.tilt)];
      let across = 0, up = 0;
      for (const trace of data) trace.x.forEach((x, i) => {
        if (x === null) return;
        const [a, b, c] = [x - middle[0], trace.y[i] - middle[1], trace.z[i] - middle[2]];
        across = Math.max(across, Math.abs(-st * a + ct * b));
        up = Math.max(up, Math.abs(cp * c - sp * (ct * a + st * b)));
      });
      return 0.82 * Math.min(width / (2 * across || 1), height / (2 * up || 1));
    };

    const draw = () => {
      const width = Math.max(canvas.clientWidth, 160), height = layout.height;
      const scale = view.zoom * fit(width, height);
      const [ct, st, cp, sp] = [Math.cos(view.turn), Math.sin(view.turn), Math.cos(view.tilt), Math.sin(view.tilt)];
      const project = (x, y, z) => {
        const [a, b, c] = [x - middle[0], y - middle[1], z - middle[2]];
        const right = -st * a + ct * b, away = ct * a + st * b;
        return [width / 2 + scale * right, 0.47 * height - scale * (cp * c - sp * away)];
      };
      const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      const segment = (a, b, attributes) => {
        const [p, q] = [project(...a), project(...b)];
        picture.append(svg("line", { x1: p[0], y1: p[1], x2: q[0], y2: q[1], ...attributes }));
        return q;
      };
      // A floor of squares below everything, whose side the caption names.
      const first = [0, 1].map((k) => Math.floor(low[k] / cell) * cell), last = [0, 1].map((k) => Math.ceil(high[k] / cell) * cell);
      for (let x = first[0]; x <= last[0] + cell / 2; x += cell) segment([x, first[1], low[2]], [x, last[1], low[2]], { class: "grid-line" });
      for (let y = first[1]; y <= last[1] + cell / 2; y += cell) segment([first[0], y, low[2]], [last[0], y, low[2]], { class: "grid-line" });
      const corner = [first[0], first[1], low[2]];
      ["x", "y", "z"].forEach((name, k) => {
        const end = segment(corner, corner.map((v, j) => v + (j === k ? 1.3 * cell : 0)), { class: "axis" });
        picture.append(svg("text", { x: end[0] + 4, y: end[1] - 4 }, name));
      });
      for (const trace of data.filter(shown)) {
        const places = trace.x.map((x, i) => (x === null ? null : project(x, trace.y[i], trace.z[i])));
        const group = svg("g", { class: `trace ${trace.kind}` });
        if (trace.symbol) for (const at of places) if (at) group.append(marker(trace, ...at, trace.size + 4));
        if (!trace.symbol) group.append(svg("path", { d: path(places.map((p) => p && p[0]), places.map((p) => p && p[1])), ...stroke(trace) }));
        if (trace.label && places[0]) group.append(svg("text", { x: places[0][0] + 6, y: places[0][1] - 6, style: `fill:${trace.color}` }, trace.label));
        group.append(svg("title", {}, trace.name));
        picture.append(group);
      }
      picture.append(svg("text", { class: "axis-title", x: 8, y: height - 8 }, `squares of ${short(cell, 2)} m`));
      canvas.replaceChildren(picture);
    };

    const turn = (across, up) => {
      view.turn -= across;
      view.tilt = Math.min(1.57, Math.max(-1.57, view.tilt + up));
      draw();
    };
    let from = null;
    canvas.addEventListener("pointerdown", (event) => { from = event; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointerup", () => { from = null; });
    canvas.addEventListener("pointermove", (event) => {
      if (from === null) return;
      turn((event.clientX - from.clientX) / 150, (event.clientY - from.clientY) / 150);
      from = event;
    });
    canvas.addEventListener("dblclick", () => { Object.assign(view, START); draw(); });
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      const zoom = { "+": 1.15, "-": 1 / 1.15 }[event.key];
      if (zoom) { view.zoom *= zoom; draw(); }
      if (!way) return;
      event.preventDefault();
      turn(...way);
    });
    draw();
    new ResizeObserver(draw).observe(canvas);
  };
})();
