/** How far a run of `index-knowledge` is, of the documents that it found. */

interface Step {
  name: string;
  items?: { total: number; done: number; failed: number } | undefined;
}

export interface Progress {
  total: number;
  done: number;
  failed: number;
}

export function extractionProgress(steps: readonly Step[]): Progress {
  const items = steps.find((step) => step.name === "extract")?.items;
  return { total: items?.total ?? 0, done: items?.done ?? 0, failed: items?.failed ?? 0 };
}
