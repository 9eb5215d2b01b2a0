"use strict";
(() => {
  const root = document.documentElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const coarse = window.matchMedia("(pointer: coarse)");
  const config = {
    responsive: true,
    displaylogo: false,
    plotlyServerURL: "",
    displayModeBar: "hover",
    // Named one by one: among plotly's own set is a button that sends the data to its makers.
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d", "toImage"]],
  };

  // Colours are named in the data as var(--name): the page's own, as they are at this moment.
  const named = (key, value) => {
    const found = typeof value === "string" && /color$/.test(key) && /^var\((--[\w-]+)\)$/.exec(value);
    return found ? getComputedStyle(root).getPropertyValue(found[1]).trim() : value;
  };

  const draw = (onPaper) => {
    for (const plot of document.querySelectorAll(".plot")) {
      const { data, layout } = JSON.parse(plot.nextElementSibling.textContent, named);
      const buttons = layout.scene
        ? [["orbitRotation", "pan3d", "zoom3d", "resetCameraDefault3d", "toImage"]]
        : config.modeBarButtons;
      if (coarse.matches) layout.dragmode = false; // a finger scrolls the page
      if (onPaper) {
        const most = plot.closest(".grid") ? 320 : 680;
        Object.assign(layout, { autosize: false, width: Math.min(most, plot.clientWidth) });
      }
      Plotly.react(plot, data, layout, { ...config, modeBarButtons: buttons });
    }
  };

  draw(false);
  dark.addEventListener("change", () => draw(false));
  window.addEventListener("beforeprint", () => {
    root.dataset.theme = "light";
    draw(true);
  });
  window.addEventListener("afterprint", () => {
    delete root.dataset.theme;
    draw(false);
  });
})();
