// Search in pages that are opened from a folder. Browsers start no worker from a file, so its script runs in a hidden
// frame of the page instead. The theme asks for a file of this name; without it, it would fetch one from the network.
if (location.protocol === "file:") {
  window.Worker = window.IFrameWorker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = new URL(address, document.baseURI).href;
      const loaded = new Promise((resolve) => { script.onload = resolve; });
      inside.document.head.append(script);
      this.postMessage = (data) => {
        loaded.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
      };
      this.terminate = () => frame.remove();
    }
  };
}
