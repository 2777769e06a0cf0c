/** A workflow's spec as its graph: its steps, those of branches too, and which follows which. */

export interface SpecStep {
  name: string;
  kind: string;
  /** The tool that it calls; other kinds call none. */
  tool: string | null;
  retry: number;
  isLast: boolean;
  /** Where it stands in the spec, as a JSON pointer. */
  pointer: string;
  raw: Record<string, unknown>;
}

/** Which way out of a step it is; the one that it goes by itself has none. */
export type Way = "then" | "else" | "rejected" | "catch" | null;

export interface SpecEdge {
  from: string;
  to: string;
  way: Way;
}

export interface SpecGraph {
  start: string;
  steps: SpecStep[];
  edges: SpecEdge[];
}

interface Listed {
  step: SpecStep;
  /** The step that comes next in its list. */
  next: SpecStep | undefined;
  /** Where a branch leads when it is over. */
  behind: string | null;
  branches: SpecStep[][];
}

const EMPTY: SpecGraph = { start: "", steps: [], edges: [] };

/** Reads a spec; what is no step, or is called as one before it, is left out: one half written can be drawn too. */
export function graphOf(spec: unknown): SpecGraph {
  if (!isRecord(spec) || !Array.isArray(spec.steps)) return EMPTY;
  const byName = new Map<string, Listed>();
  spread(spec.steps, "/steps", null, byName);
  const listed = [...byName.values()];
  const edges = listed.flatMap(edgesOf).filter(({ to }) => byName.has(to));
  return { start: text(spec.start), steps: listed.map(({ step }) => step), edges };
}

/** Adds the steps of a list, each before those inside its branches; returns them. */
function spread(raws: unknown[], at: string, behind: string | null, byName: Map<string, Listed>): SpecStep[] {
  const steps = raws.flatMap((raw, place) => {
    const step = isRecord(raw) ? stepOf(raw, `${at}/${place}`) : null;
    return step && !byName.has(step.name) ? [step] : [];
  });
  const fresh = steps.filter((step, place) => steps.findIndex(({ name }) => name === step.name) === place);
  fresh.forEach((step, place) => {
    const next = fresh[place + 1];
    const listed: Listed = { step, next, behind, branches: [] };
    byName.set(step.name, listed);
    const branches = step.kind === "parallel" && Array.isArray(step.raw.branches) ? step.raw.branches : [];
    listed.branches = branches.map((branch: unknown, number) =>
      spread(Array.isArray(branch) ? branch : [], `${step.pointer}/branches/${number}`, after(listed), byName),
    );
  });
  return fresh;
}

function stepOf(raw: Record<string, unknown>, pointer: string): SpecStep | null {
  const name = text(raw.name);
  const kind = text(raw.kind);
  if (!name || !kind) return null;
  const retry = typeof raw.retry === "number" ? raw.retry : 0;
  return { name, kind, tool: text(raw.tool) || null, retry, isLast: raw.end === true, pointer, raw };
}

/** The name of the step that follows when one is over, of the last of a branch that behind the branches. */
function after({ step, next, behind }: Listed): string | null {
  if (text(step.raw.next)) return text(step.raw.next);
  return step.isLast || !next ? behind : next.name;
}

function edgesOf(listed: Listed): SpecEdge[] {
  const { step, branches } = listed;
  const from = step.name;
  const edges: SpecEdge[] = [];
  const add = (to: unknown, way: Way) => text(to) && edges.push({ from, to: text(to), way });
  if (step.kind === "choice") {
    add(step.raw.then, "then");
    add(step.raw.else, "else");
  } else if (branches.some((branch) => branch.length > 0)) {
    branches.forEach((branch) => add(branch[0]?.name, null));
  } else {
    add(after(listed), null);
  }
  if (step.kind === "approve") add(step.raw.rejected, "rejected");
  if (isRecord(step.raw.catch)) add(step.raw.catch.next, "catch");
  return edges;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
