/** What drawing does to a spec: steps that come, change, move and go. None changes what it is given. */

import { graphOf, isRecord } from "../workflows/spec";

export type Spec = Record<string, unknown>;
export type Step = Record<string, unknown>;

const partsOf = (pointer: string): string[] => pointer.split("/").slice(1);

/** What stands at a pointer, or nothing. */
export function at(spec: unknown, pointer: string): unknown {
  return partsOf(pointer).reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], spec);
}

/** The spec with the list of steps at a pointer changed. */
function withList(spec: Spec, pointer: string, change: (steps: Step[]) => Step[]): Spec {
  const copy = structuredClone(spec);
  const parts = partsOf(pointer);
  const last = parts.pop() ?? "steps";
  const holder = (parts.length ? at(copy, `/${parts.join("/")}`) : copy) as Record<string, unknown>;
  const steps = holder[last];
  holder[last] = change(Array.isArray(steps) ? (steps as Step[]) : []);
  return copy;
}

function placeOf(pointer: string): { list: string; index: number } {
  const cut = pointer.lastIndexOf("/");
  return { list: pointer.slice(0, cut), index: Number(pointer.slice(cut + 1)) };
}

/** The spec with another step at a pointer; a new name is the name wherever a step leads to it. */
export function changeStep(spec: Spec, pointer: string, step: Step): Spec {
  const { list, index } = placeOf(pointer);
  const before = at(spec, pointer) as Step | undefined;
  const changed = withList(spec, list, (steps) => steps.map((one, place) => (place === index ? step : one)));
  return before && before.name !== step.name ? renamed(changed, String(before.name), String(step.name)) : changed;
}

const LEADING = new Set(["start", "next", "then", "else", "rejected"]);

function renamed(spec: Spec, from: string, to: string): Spec {
  const reference = new RegExp(`^steps\\.${from.replace(/[^\w-]/g, "")}\\.`);
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value)) return value.map((one) => walk(one, ""));
    if (isRecord(value)) return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]));
    if (LEADING.has(key) && value === from) return to;
    if (key === "$from" && typeof value === "string") return value.replace(reference, `steps.${to}.`);
    return value;
  };
  return walk(spec, "") as Spec;
}

/** The spec with a step behind the one at a pointer, or at the end; and where it stands. */
export function addStep(spec: Spec, behind: string | null, step: Step): { spec: Spec; pointer: string } {
  const many = Array.isArray(spec.steps) ? spec.steps.length : 0;
  const { list, index } = behind ? placeOf(behind) : { list: "/steps", index: many - 1 };
  const grown = withList(spec, list, (steps) => [...steps.slice(0, index + 1), step, ...steps.slice(index + 1)]);
  return { spec: many === 0 ? { ...grown, start: step.name } : grown, pointer: `${list}/${index + 1}` };
}

export function removeStep(spec: Spec, pointer: string): Spec {
  const { list, index } = placeOf(pointer);
  const gone = at(spec, `${pointer}/name`);
  const left = withList(spec, list, (steps) => steps.filter((_, place) => place !== index));
  const first = at(left, "/steps/0/name");
  return left.start === gone && first !== undefined ? { ...left, start: first } : left;
}

/** The spec with a step one place up or down in its list. */
export function moveStep(spec: Spec, pointer: string, by: 1 | -1): { spec: Spec; pointer: string } {
  const { list, index } = placeOf(pointer);
  const steps = at(spec, list) as Step[];
  const to = index + by;
  if (to < 0 || to >= steps.length) return { spec, pointer };
  const moved = withList(spec, list, (all) => {
    const [step] = all.splice(index, 1);
    return step ? [...all.slice(0, to), step, ...all.slice(to)] : all;
  });
  const atTop = list === "/steps" && spec.start === (steps[0]?.name ?? "");
  return { spec: atTop ? { ...moved, start: at(moved, "/steps/0/name") } : moved, pointer: `${list}/${to}` };
}

/** A step of a kind with what it cannot be without, under a name that nothing has. */
export function newStep(spec: Spec, kind: string, tool: string): Step {
  const taken = new Set(graphOf(spec).steps.map(({ name }) => name));
  const base = (kind === "tool" || kind === "map" ? tool : kind).replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 50) || "step";
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`;
  const first = { name, kind };
  switch (kind) {
    case "tool":
      return { ...first, tool, with: {} };
    case "map":
      return { ...first, over: [], tool, with: {} };
    case "choice":
      return { ...first, when: { present: { $from: "run.id" } }, then: "", else: "" };
    case "parallel":
      return { ...first, branches: [[{ name: `${name}_a`, kind: "wait", seconds: 1 }], [{ name: `${name}_b`, kind: "wait", seconds: 1 }]] };
    case "approve":
      return { ...first, role: "admin", title: "" };
    case "wait":
      return { ...first, seconds: 60 };
    case "workflow":
      return { ...first, slug: "", with: {} };
    case "transform":
      return { ...first, expression: "@", with: {} };
    case "http":
      return { ...first, method: "GET", url: "https://" };
    default:
      return first;
  }
}

/** What a step may take a value from: inputs, outputs of what stands before it, and the run itself. */
export function referencesFor(spec: Spec, pointer: string): string[] {
  const inputs = isRecord(spec.inputs) ? Object.keys(spec.inputs).map((name) => `input.${name}`) : [];
  const { steps } = graphOf(spec);
  const index = steps.findIndex((step) => step.pointer === pointer);
  const outputs = steps
    .slice(0, Math.max(0, index))
    .filter(({ kind, pointer: other }) => kind !== "choice" && !pointer.startsWith(`${other}/`))
    .map(({ name, kind }) => `steps.${name}.output.${kind === "map" ? "results" : "result"}`);
  const own = steps[index]?.kind === "map" ? ["item", "index"] : [];
  return [...own, ...inputs, ...outputs, "run.id", "user.id", "team.id", "locale"];
}
