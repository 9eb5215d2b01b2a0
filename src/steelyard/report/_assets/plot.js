"use strict";
// Plots over time and from above: panels that share an x axis.
const plotInPlane = (() => {
  const { svg, html, stroke, path, marker, short, legend } = Figure;
  const LEFT = 68, RIGHT = 14, BOTTOM = 34, GAP = 12;

  const steps = (low, high, count) => {
    const raw = (high - low) / Math.max(count, 1);
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].find((nice) => nice * power >= raw) * power;
    const found = [];
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
    return found;
  };
  const decades = (low, high) => {
    const found = [];
    for (let k = Math.ceil(low); k <= Math.floor(high); k++) found.push(k);
    return found.length ? found : [low, high];
  };
  const extent = (traces, key) => {
    let low = Infinity, high = -Infinity;
    for (const trace of traces) for (const value of trace[key]) {
      if (value === null) continue;
      low = Math.min(low, value); high = Math.max(high, value);
    }
    if (!(low < Infinity)) return [0, 1];
    return low === high ? [low - 0.5, high + 0.5] : [low, high];
  };
  const widened = ([low, high], share) => [low - share * (high - low), high + share * (high - low)];

  return (place, { data, layout }) => {
    const hidden = new Set();
    let zoom = null, cursor = null, frame = null;
    const shown = (trace) => !hidden.has(trace.group ?? trace.name);
    if (layout.equal) place.style.maxWidth = "46rem";
    const canvas = html("div", { class: "canvas", tabindex: "0", role: "img", "aria-label": place.getAttribute("aria-label") });
    const readout = html("div", { class: "readout", role: "status" });
    let box = legend(data, hidden, () => draw());
    place.removeAttribute("role");
    place.removeAttribute("aria-label");
    place.append(canvas, readout);
    if (layout.legend !== false) place.append(box);

    const log = (panel, value) => (panel.log ? (value > 0 ? Math.log10(value) : null) : value);

    const draw = () => {
      const width = Math.max(canvas.clientWidth, 160), top = layout.top ?? 24;
      const bottom = BOTTOM + (layout.x_title ? 16 : 0);
      const height = layout.height, panels = layout.panels;
      const tall = (height - top - bottom - GAP * (panels.length - 1)) / panels.length;
      const traces = data.filter(shown);
      let xs = zoom ?? layout.x_range ?? extent(data, "x");
      const scales = panels.map((panel, k) => {
        const own = traces.filter((trace) => (trace.panel ?? 0) === k);
        const logged = own.map((trace) => ({ y: trace.y.map((y) => (y === null ? null : log(panel, y))) }));
        return { ys: panel.range ?? widened(extent(logged, "y"), 0.06), top: top + k * (tall + GAP) };
      });
      if (layout.equal) {
        xs = widened(extent(data, "x"), 0.08);
        const across = (xs[1] - xs[0]) / (width - LEFT - RIGHT), up = (scales[0].ys[1] - scales[0].ys[0]) / tall;
        if (across > up) scales[0].ys = widened(scales[0].ys, (across / up - 1) / 2);
        else xs = widened(xs, (up / across - 1) / 2);
      }
      const X = (x) => LEFT + ((x - xs[0]) / (xs[1] - xs[0])) * (width - LEFT - RIGHT);
      const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });

      panels.forEach((panel, k) => {
        const { ys, top: y0 } = scales[k], y1 = y0 + tall;
        const Y = (y) => y1 - ((y - ys[0]) / (ys[1] - ys[0])) * tall;
        const clip = `clip-${place.dataset.number}-${k}`;
        const window_ = svg("clipPath", { id: clip });
        window_.append(svg("rect", { x: LEFT, y: y0, width: width - LEFT - RIGHT, height: tall }));
        picture.append(window_);
        const ticks = panel.ticks ?? (panel.log ? decades(...ys) : steps(...ys, Math.max(2, Math.round(tall / 55))));
        for (const tick of ticks) {
          picture.append(svg("line", { class: "grid-line", x1: LEFT, x2: width - RIGHT, y1: Y(tick), y2: Y(tick) }));
          const words = panel.log ? short(10 ** tick, 3) : short(tick);
          picture.append(svg("text", { x: LEFT - 7, y: Y(tick) + 4, "text-anchor": "end" }, words));
        }
        for (const tick of steps(...xs, Math.max(2, Math.round((width - LEFT - RIGHT) / 110)))) {
          picture.append(svg("line", { class: "grid-line", x1: X(tick), x2: X(tick), y1: y0, y2: y1 }));
          if (k === panels.length - 1)
            picture.append(svg("text", { x: X(tick), y: y1 + 18, "text-anchor": "middle" }, short(tick) + (layout.x_suffix ?? "")));
        }
        picture.append(svg("path", { class: "frame", d: `M${LEFT} ${y0}V${y1}H${width - RIGHT}` }));
        if (panel.title)
          picture.append(svg("text", { class: "axis-title", "text-anchor": "middle", transform: `translate(14 ${(y0 + y1) / 2}) rotate(-90)` }, panel.title));
        const inside = svg("g", { "clip-path": `url(#${clip})` });
        for (const level of panel.limits ?? [])
          inside.append(svg("line", { class: "limit", x1: LEFT, x2: width - RIGHT, y1: Y(level), y2: Y(level) }));
        for (const mark of layout.marks ?? [])
          if (mark.x >= xs[0] && mark.x <= xs[1])
            inside.append(svg("line", { class: mark.faint ? "mark faint" : "mark", style: `stroke:${mark.color}`, x1: X(mark.x), x2: X(mark.x), y1: y0, y2: y1 }));
        for (const trace of traces.filter((trace) => (trace.panel ?? 0) === k)) {
          const px = trace.x.map((x) => (x === null ? null : X(x)));
          const py = trace.y.map((y) => { const v = y === null ? null : log(panel, y); return v === null ? null : Y(v); });
          const group = svg("g", { class: `trace ${trace.kind}` });
          if (trace.kind === "band" || trace.kind === "outline")
            group.append(svg("path", { d: path(px, py), style: `fill:${trace.fill}`, stroke: "none" }));
          if (trace.kind !== "band" && trace.kind !== "points") group.append(svg("path", { d: path(px, py), ...stroke(trace) }));
          if (trace.symbol) px.forEach((x, i) => {
            const size = Array.isArray(trace.size) ? trace.size[i] : trace.size;
            if (x === null || py[i] === null || !size) return;
            const dot = marker(trace, x, py[i], size);
            dot.append(svg("title", {}, `${trace.name}: ${short(trace.x[i])}, ${short(trace.y[i])}`));
            group.append(dot);
          });
          inside.append(group);
        }
        picture.append(inside);
      });
      for (const mark of layout.marks ?? []) {
        if (!mark.label || mark.x < xs[0] || mark.x > xs[1]) continue;
        const turn = mark.upright ? ` rotate(-90)` : "";
        const words = svg("text", { class: "mark-label", style: `fill:${mark.color}`, "text-anchor": mark.upright ? "start" : "middle",
          transform: `translate(${X(mark.x) + (mark.upright ? 4 : 0)} ${top - 6})${turn}` }, mark.label);
        if (mark.message) words.append(svg("title", {}, mark.message));
        picture.append(words);
      }
      if (layout.x_title)
        picture.append(svg("text", { class: "axis-title", x: (LEFT + width - RIGHT) / 2, y: height - 6, "text-anchor": "middle" }, layout.x_title));
      const pointer = svg("line", { class: "cursor", y1: top, y2: height - bottom, visibility: "hidden" });
      const chosen = svg("rect", { class: "chosen", y: top, height: height - top - bottom, width: 0 });
      picture.append(pointer, chosen);
      canvas.replaceChildren(picture);
      frame = { xs, width, X, pointer, chosen, inverse: (px) => xs[0] + ((px - LEFT) / (width - LEFT - RIGHT)) * (xs[1] - xs[0]) };
      if (cursor !== null) read(cursor);
    };

    // What the lines are at the time nearest to x, in words.
    const read = (x) => {
      if (layout.equal) return;
      cursor = x;
      if (x === null) { readout.textContent = ""; frame.pointer.setAttribute("visibility", "hidden"); return; }
      const found = [];
      let at = null;
      for (const trace of data) {
        if (trace.kind !== "line" || !shown(trace)) continue;
        let low = 0, high = trace.x.length - 1;
        while (high - low > 1) { const middle = (low + high) >> 1; trace.x[middle] <= x ? (low = middle) : (high = middle); }
        const i = Math.abs(trace.x[low] - x) <= Math.abs(trace.x[high] - x) ? low : high;
        at ??= trace.x[i];
        if (trace.y[i] === null) continue;
        const half = trace.half?.[i];
        found.push(`${trace.name} ${short(trace.y[i])}${half == null ? "" : ` ± ${short(half, 2)}`}`);
      }
      if (at === null) return;
      readout.textContent = `${short(at)}${layout.x_suffix ?? ""}: ${found.join("; ") || "no value"}`;
      frame.pointer.setAttribute("x1", frame.X(at)); frame.pointer.setAttribute("x2", frame.X(at));
      frame.pointer.setAttribute("visibility", "visible");
    };
    const across = (event) => event.clientX - canvas.getBoundingClientRect().left;
    let from = null;
    canvas.addEventListener("pointermove", (event) => {
      read(frame.inverse(across(event)));
      if (from === null) return;
      frame.chosen.setAttribute("x", Math.min(from, across(event)));
      frame.chosen.setAttribute("width", Math.abs(across(event) - from));
    });
    canvas.addEventListener("pointerleave", () => read(null));
    canvas.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || layout.equal) return; // a finger scrolls the page
      from = across(event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (from !== null && Math.abs(across(event) - from) > 8)
        zoom = [from, across(event)].map(frame.inverse).sort((a, b) => a - b);
      from = null;
      draw();
    });
    const reset = () => { zoom = null; draw(); };
    canvas.addEventListener("dblclick", reset);
    canvas.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") { reset(); read(null); return; }
      if (!way) return;
      event.preventDefault();
      const [low, high] = frame.xs;
      read(Math.min(high, Math.max(low, (cursor ?? (low + high) / 2) + (way * (high - low)) / 100)));
    });
    draw();
    new ResizeObserver(() => draw()).observe(canvas);
    // For a page that goes on: other data, and what is hidden or zoomed stays so.
    const update = (figure) => {
      ({ data, layout } = figure);
      const renewed = legend(data, hidden, () => draw());
      box.replaceWith(renewed);
      box = renewed;
      draw();
    };
    return { update };
  };
})();
