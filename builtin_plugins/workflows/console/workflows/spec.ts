/** A workflow's spec as its graph: its steps, and which follows which. */

export type StepKind = "tool" | "map" | "choice";

export interface SpecStep {
  name: string;
  kind: StepKind;
  /** The tool that it calls; a choice calls none. */
  tool: string | null;
  retry: number;
  isLast: boolean;
  /** Which of the spec's steps it is, from 0. */
  place: number;
  raw: Record<string, unknown>;
}

export interface SpecEdge {
  from: string;
  to: string;
  /** Which way of a choice it is. */
  way: "then" | "else" | null;
}

export interface SpecGraph {
  start: string;
  steps: SpecStep[];
  edges: SpecEdge[];
}

const EMPTY: SpecGraph = { start: "", steps: [], edges: [] };

/** Reads a spec; what is no step, or is called as one before it, is left out: one half written can be drawn too. */
export function graphOf(spec: unknown): SpecGraph {
  if (!isRecord(spec) || !Array.isArray(spec.steps)) return EMPTY;
  const byName = new Map<string, SpecStep>();
  spec.steps.forEach((raw: unknown, place) => {
    const step = isRecord(raw) ? stepOf(raw, place) : null;
    if (step && !byName.has(step.name)) byName.set(step.name, step);
  });
  const steps = [...byName.values()];
  const edges = steps.flatMap((step, index) => edgesOf(step, steps[index + 1])).filter(({ to }) => byName.has(to));
  return { start: text(spec.start), steps, edges };
}

function stepOf(raw: Record<string, unknown>, place: number): SpecStep | null {
  const name = text(raw.name);
  const kind = raw.kind;
  if (!name || (kind !== "tool" && kind !== "map" && kind !== "choice")) return null;
  const retry = typeof raw.retry === "number" ? raw.retry : 0;
  return { name, kind, tool: text(raw.tool) || null, retry, isLast: raw.end === true, place, raw };
}

function edgesOf(step: SpecStep, next: SpecStep | undefined): SpecEdge[] {
  if (step.kind !== "choice") return step.isLast || !next ? [] : [{ from: step.name, to: next.name, way: null }];
  return (["then", "else"] as const).map((way) => ({ from: step.name, to: text(step.raw[way]), way }));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
