"use strict";
// What both kinds of drawing share: SVG elements, legends, and drawing all figures of the page.
// Colours are CSS variables of the page, so a drawing follows light, dark and paper without being drawn again.
const Figure = (() => {
  const NS = "http://www.w3.org/2000/svg";
  const DASHES = { solid: "", dash: "7 4", dot: "2 3", dashdot: "7 3 2 3", longdash: "12 5" };

  const svg = (tag, attributes = {}, text = null) => {
    const element = document.createElementNS(NS, tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== null) element.textContent = text;
    return element;
  };
  const html = (tag, attributes = {}, text = null) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== null) element.textContent = text;
    return element;
  };
  const stroke = (trace) => ({
    fill: "none",
    style: `stroke:${trace.color}`,
    "stroke-width": trace.width ?? 1.8,
    "stroke-dasharray": DASHES[trace.dash ?? "solid"],
    "stroke-linejoin": "round",
    "vector-effect": "non-scaling-stroke",
  });

  // Pixels of places, with a gap wherever one is missing.
  const path = (xs, ys) => {
    let steps = "", pen = "M";
    for (let i = 0; i < xs.length; i++) {
      if (xs[i] === null || ys[i] === null) { pen = "M"; continue; }
      steps += `${pen}${xs[i].toFixed(1)} ${ys[i].toFixed(1)}`;
      pen = "L";
    }
    return steps;
  };

  const SYMBOLS = {
    circle: (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
    cross: (r) => `M${-r} 0H${r}M0 ${-r}V${r}`,
    x: (r) => `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`,
  };
  const marker = (trace, x, y, size) => {
    const open = trace.symbol !== "circle";
    return svg("path", {
      d: SYMBOLS[trace.symbol === "circle-open" ? "circle" : trace.symbol](size / 2),
      transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
      style: open ? `stroke:${trace.color};fill:none` : `fill:${trace.color}`,
      "stroke-width": 2,
    });
  };

  const short = (value, digits = 5) => {
    if (value === 0) return "0";
    const size = Math.abs(value);
    return size >= 1e5 || size < 1e-4 ? value.toExponential(digits - 1) : String(Number(value.toPrecision(digits)));
  };

  // Buttons, one a group of traces, that hide and show it.
  const legend = (traces, hidden, redraw) => {
    const box = html("div", { class: "legend" });
    const seen = new Set();
    for (const trace of traces) {
      const group = trace.group ?? trace.name;
      if (trace.legend === false || !trace.name || seen.has(group)) continue;
      seen.add(group);
      const button = html("button", { type: "button", "aria-pressed": String(!hidden.has(group)) });
      const key = svg("svg", { width: 26, height: 12, "aria-hidden": "true" });
      if (trace.symbol) key.append(marker(trace, 13, 6, 8));
      else key.append(svg("path", { d: "M1 6H25", ...stroke(trace) }));
      button.append(key, html("span", {}, trace.name));
      button.addEventListener("click", () => {
        hidden.has(group) ? hidden.delete(group) : hidden.add(group);
        button.setAttribute("aria-pressed", String(!hidden.has(group)));
        redraw();
      });
      box.append(button);
    }
    return seen.size > 1 || box.childElementCount === 1 ? box : html("div");
  };

  return { svg, html, stroke, path, marker, short, legend };
})();
