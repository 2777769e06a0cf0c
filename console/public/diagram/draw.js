// Draws what the page around this frame sends. The frame has no origin, and its policy lets it reach nothing.
"use strict";

const place = document.getElementById("place");
let number = 0;

addEventListener("message", async ({ source, data }) => {
  if (source !== parent || typeof data?.text !== "string") return;
  number += 1;
  const own = number;
  try {
    globalThis.mermaid.initialize({ startOnLoad: false, securityLevel: "strict", htmlLabels: false, theme: "neutral", maxTextSize: 50_000, maxEdges: 1_000 });
    const { svg } = await globalThis.mermaid.render(`diagram-${own}`, data.text);
    if (own !== number) return;
    place.innerHTML = svg;
    parent.postMessage({ height: place.scrollHeight + 24 }, "*");
  } catch {
    if (own === number) parent.postMessage({ failed: true }, "*");
  }
});
parent.postMessage({ ready: true }, "*");
