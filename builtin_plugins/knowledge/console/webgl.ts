/** How well this browser draws: where it has no WebGL, or only a slow one, the table comes first; it has everything. */
export type Drawable = "well" | "slowly" | "no";

export function howDrawable(): Drawable {
  if (hasContext({ failIfMajorPerformanceCaveat: true })) return "well";
  return "WebGL2RenderingContext" in globalThis ? "slowly" : "no";
}

function hasContext(options: WebGLContextAttributes): boolean {
  try {
    const context = document.createElement("canvas").getContext("webgl2", options);
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null;
  } catch {
    return false;
  }
}
