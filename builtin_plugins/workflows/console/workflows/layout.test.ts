import { describe, expect, it } from "vitest";

import { NODE_HEIGHT, NODE_WIDTH, placeSteps } from "./layout";
import { graphOf } from "./spec";

const spec = {
  start: "read",
  steps: [
    { name: "read", kind: "tool", tool: "doc_text" },
    { name: "any", kind: "choice", when: { empty: 1 }, then: "nothing", else: "each" },
    { name: "each", kind: "map", tool: "word_count", retry: 2, end: true },
    { name: "nothing", kind: "tool", tool: "word_count" },
  ],
};

describe("graphOf", () => {
  it("leads from each step to the next, and both ways out of a choice", () => {
    expect(graphOf(spec).edges).toEqual([
      { from: "read", to: "any", way: null },
      { from: "any", to: "nothing", way: "then" },
      { from: "any", to: "each", way: "else" },
    ]);
  });

  it("leads into each branch and from its end to what is behind, and where a failure or a rejection leads", () => {
    const steps = [
      {
        name: "both",
        kind: "parallel",
        branches: [[{ name: "a", kind: "tool" }, { name: "b", kind: "wait" }], [{ name: "c", kind: "http", catch: { next: "c" } }]],
      },
      { name: "ask", kind: "approve", rejected: "no", end: true },
      { name: "no", kind: "transform" },
    ];
    const graph = graphOf({ steps });
    expect(graph.steps.map(({ pointer }) => pointer)).toEqual([
      "/steps/0",
      "/steps/0/branches/0/0",
      "/steps/0/branches/0/1",
      "/steps/0/branches/1/0",
      "/steps/1",
      "/steps/2",
    ]);
    expect(graph.edges.map(({ from, to, way }) => `${from} ${way ?? "-"} ${to}`)).toEqual([
      "both - a",
      "both - c",
      "a - b",
      "b - ask",
      "c - ask",
      "c catch c",
      "ask rejected no",
    ]);
  });

  it("draws what is there of a spec that is half written", () => {
    const half = { steps: [{ name: "a", kind: "tool" }, { name: 7 }, "no", { name: "b", kind: "choice", then: "gone" }] };
    expect(graphOf(half).steps.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(graphOf(half).edges).toEqual([{ from: "a", to: "b", way: null }]);
    expect(graphOf("nothing").steps).toEqual([]);
  });
});

describe("placeSteps", () => {
  it("gives every step a place of its own, below those before it", () => {
    const { positions, width, height } = placeSteps(graphOf(spec));
    const at = (name: string) => positions.get(name)!;
    expect(at("read").y).toBeLessThan(at("any").y);
    expect(at("any").y).toBeLessThan(at("each").y);
    expect(Math.abs(at("each").x - at("nothing").x)).toBeGreaterThanOrEqual(NODE_WIDTH);
    expect(width).toBeGreaterThanOrEqual(2 * NODE_WIDTH);
    expect(height).toBeGreaterThanOrEqual(3 * NODE_HEIGHT);
  });

  it("bears a circle and a choice with both ways to one step", () => {
    const circle = graphOf({
      steps: [
        { name: "a", kind: "tool" },
        { name: "b", kind: "choice", then: "a", else: "a" },
      ],
    });
    expect(placeSteps(circle).positions.size).toBe(2);
  });

  it("bears whatever steps are called, in an editor anything can be typed", () => {
    const tool = (name: string) => ({ name, kind: "tool" });
    const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "\u0000", "a\u0001b", " "];
    const { positions } = placeSteps(graphOf({ steps: names.map(tool) }));
    expect([...positions.keys()]).toEqual(names);
    expect([...positions.values()].every(({ x, y }) => Number.isFinite(x + y))).toBe(true);
    expect(({} as Record<string, unknown>).width).toBeUndefined();
    const doubled = graphOf({ steps: [7, tool("a"), tool("a"), tool("b")] });
    expect(doubled.steps.map(({ name, pointer }) => [name, pointer])).toEqual([["a", "/steps/1"], ["b", "/steps/3"]]);
    expect(doubled.edges).toEqual([{ from: "a", to: "b", way: null }]);
    expect(placeSteps(doubled).positions.size).toBe(2);
  });

  it("places many steps at once, each below those that lead to it", () => {
    const steps = Array.from({ length: 200 }, (_, at) =>
      at % 3 ? { name: `s${at}`, kind: "tool" } : { name: `s${at}`, kind: "choice", then: `s${(at * 7) % 200}`, else: `s${at + 1}` },
    );
    const graph = graphOf({ steps });
    const started = performance.now();
    const { positions } = placeSteps(graph);
    expect(performance.now() - started).toBeLessThan(500);
    const places = new Map(graph.steps.map(({ name }, place) => [name, place]));
    const forward = graph.edges.filter(({ from, to }) => places.get(to)! > places.get(from)!);
    expect(forward.every(({ from, to }) => positions.get(to)!.y > positions.get(from)!.y)).toBe(true);
    expect(new Set([...positions.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(200);
  });
});
