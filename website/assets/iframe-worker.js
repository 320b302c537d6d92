// Browsers start no workers on pages opened from a file. There, the script of the search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inner = frame.contentWindow;
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inner.document.createElement("script");
      script.src = url;
      this.inner = new Promise((resolve) => {
        script.onload = () => resolve(inner);
      });
      inner.document.body.append(script);
    }

    postMessage(data) {
      this.inner.then((inner) => inner.dispatchEvent(new MessageEvent("message", { data })));
    }
  };
}
