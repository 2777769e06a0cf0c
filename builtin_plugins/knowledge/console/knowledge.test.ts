import { describe, expect, it } from "vitest";

import { arrange, towards } from "./arrangement";
import { extractionProgress } from "./extraction";
import { mix, rings } from "./layout";
import { LEADING, typesIn } from "./leading";
import { saidOf, statementsOf } from "./neighbourhood";
import { marked, nameOfKey } from "./passages";

const node = (id: string, distance: number) => ({ id, name: id.toUpperCase(), type: "person" as const, distance });
const graph = {
  nodes: [node("a", 0), node("b", 1), node("c", 2), node("d", 1)],
  edges: [
    { source: "b", predicate: "knows", target: "c" },
    { source: "a", predicate: "works_for", target: "b" },
    { source: "a", predicate: "knows", target: "gone" },
  ],
};

describe("the table twin", () => {
  it("has every edge with both its ends, nearest first", () =>
    expect(statementsOf(graph).map(({ subject, predicate, object }) => [subject.id, predicate, object.id])).toEqual([
      ["a", "works_for", "b"],
      ["b", "knows", "c"],
    ]));
  it("says relations as people do", () => expect(saidOf("works_for")).toBe("works for"));
});

describe("a passage", () => {
  it("marks its name in any case and spacing", () =>
    expect(marked("Acme  Shipping and acme shipping.", "acme shipping").filter(({ isHit }) => isHit).length).toBe(2));
  it("takes a name for text, not for a pattern", () => expect(marked("a.c abc", "a.c")[0]).toEqual({ text: "a.c", isHit: true }));
  it("is whole without a name", () => expect(marked("x", " ")).toEqual([{ text: "x", isHit: false }]));
  it("is of a file", () => expect(nameOfKey("a/b/report.md")).toBe("report.md"));
});

it("a drawing begins on rings around its middle", () => {
  const places = rings(graph.nodes);
  expect(places.get("a")).toEqual({ x: 0, y: 0 });
  const { x, y } = places.get("c") ?? { x: 0, y: 0 };
  expect(Math.hypot(x, y)).toBeCloseTo(2);
});

it("colours are mixed", () => expect(mix("#ffffff", "#000000", 0.5)).toBe("#808080"));

it("an extraction counts its documents", () => {
  expect(extractionProgress([{ name: "find" }, { name: "extract", items: { total: 4, done: 2, failed: 1 } }])).toEqual({ total: 4, done: 2, failed: 1 });
  expect(extractionProgress([])).toEqual({ total: 0, done: 0, failed: 0 });
});

describe("the most connected", () => {
  const things = ["a", "b", "c", "d", "e"].map((id, place) => ({ id, name: `Thing ${id}`, type: "person" as const, related: 5 - place }));
  const placed = arrange({ nodes: things, edges: [{ source: "a", predicate: "knows", target: "b" }] }, 800, 400);
  it("stand within their drawing, always in the same places, the most connected largest", () => {
    expect(placed.every(({ x, y }) => x >= 0 && x <= 800 && y >= 0 && y <= 400)).toBe(true);
    expect(arrange({ nodes: things, edges: [{ source: "a", predicate: "knows", target: "b" }] }, 800, 400)).toEqual(placed);
    expect(Math.max(...placed.map(({ radius }) => radius))).toBe(placed[0]?.radius);
    expect(placed[0]?.named).not.toBeNull();
  });
  it("are gone through by arrows", () => {
    const sorted = [...placed].sort((one, other) => one.x - other.x);
    expect(towards(placed, sorted[0]!, "ArrowRight")).toBeDefined();
    expect(towards(placed, sorted[0]!, "ArrowLeft")).toBeUndefined();
    expect(towards(placed, sorted[0]!, "Enter")).toBeUndefined();
  });
  it("are neither dates nor lines of a log", () => {
    expect(typesIn(undefined)).toBe(LEADING);
    expect(typesIn("date,nonsense")).toEqual(["date"]);
    expect(LEADING).not.toContain("other");
  });
});
