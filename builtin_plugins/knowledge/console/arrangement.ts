/** Where the most connected things stand in their drawing, and whose names have room there. */

import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

import type { Overview } from "./entities";

export interface Placed {
  id: string;
  name: string;
  type: Overview["nodes"][number]["type"];
  related: number;
  x: number;
  y: number;
  radius: number;
  /** Where its name has room; others show theirs below when one is at them. */
  named: "below" | "above" | null;
}

const ROUNDS = 400;
const SMALLEST = 11;
const LARGEST = 24;
const EDGE = { x: 64, top: 28, bottom: 40 };
const LETTER = 6.6;
const LINE = 16;
export const LONGEST = 26;

export const shortened = (name: string) => (name.length > LONGEST ? `${name.slice(0, LONGEST - 1)}…` : name);

/** The same graph always stands the same way: those on a ring at first, pulled together by what relates them. */
export function arrange({ nodes, edges }: Pick<Overview, "nodes" | "edges">, width: number, height: number): Placed[] {
  if (nodes.length === 0) return [];
  const graph = new Graph();
  const most = Math.max(1, ...nodes.map(({ related }) => related));
  nodes.forEach(({ id, related }, index) => {
    const angle = (2 * Math.PI * index) / nodes.length;
    const ring = 1 + (index % 3) / 3;
    graph.addNode(id, { x: ring * Math.cos(angle), y: ring * Math.sin(angle), size: 1 + (4 * related) / most });
  });
  for (const { source, target } of edges) {
    if (source !== target && graph.hasNode(source) && graph.hasNode(target)) graph.mergeEdge(source, target);
  }
  forceAtlas2.assign(graph, {
    iterations: ROUNDS,
    settings: { gravity: 1.2, scalingRatio: 12, linLogMode: true, strongGravityMode: false, adjustSizes: true, outboundAttractionDistribution: true },
  });
  const at = (id: string, axis: "x" | "y") => graph.getNodeAttribute(id, axis) as number;
  const spread = (axis: "x" | "y", from: number, to: number) => {
    // By their order as much as by their distance: neither a crowd in the middle nor an empty corner.
    const sorted = nodes.map(({ id }) => at(id, axis)).sort((one, other) => one - other);
    const [least = 0, greatest = 0] = [sorted[0], sorted.at(-1)];
    return (value: number) => {
      const share = greatest > least ? (value - least) / (greatest - least) : 0.5;
      const rank = sorted.length > 1 ? sorted.indexOf(value) / (sorted.length - 1) : 0.5;
      return from + (to - from) * (0.4 * share + 0.6 * rank);
    };
  };
  const [across, down] = [spread("x", EDGE.x, width - EDGE.x), spread("y", EDGE.top, height - EDGE.bottom)];
  const scale = Math.max(0.7, Math.min(1, width / 800));
  const placed = nodes.map(({ id, name, type, related }) => ({
    ...{ id, name, type, related, x: across(at(id, "x")), y: down(at(id, "y")) },
    radius: scale * (SMALLEST + (LARGEST - SMALLEST) * Math.sqrt(related / most)),
    named: null,
  }));
  return named(placed);
}

/** Gives names to as many as have room, the most connected first. */
function named(placed: Placed[]): Placed[] {
  const taken: Box[] = placed.map(({ x, y, radius }) => ({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius }));
  return placed.map((node) => {
    const half = (shortened(node.name).length * LETTER) / 2;
    for (const named of ["below", "above"] as const) {
      const top = named === "below" ? node.y + node.radius + 1 : node.y - node.radius - LINE;
      const box = { left: node.x - half, right: node.x + half, top, bottom: top + LINE - 1 };
      if (taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      return { ...node, named };
    }
    return node;
  });
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const overlap = (one: Box, other: Box) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** The nearest one in the direction of an arrow key. */
export function towards(placed: readonly Placed[], from: Placed, key: string): Placed | undefined {
  const dx = Number(key === "ArrowRight") - Number(key === "ArrowLeft");
  const dy = Number(key === "ArrowDown") - Number(key === "ArrowUp");
  let best: Placed | undefined;
  let least = Infinity;
  for (const one of placed) {
    const ahead = (one.x - from.x) * dx + (one.y - from.y) * dy;
    const aside = Math.abs((one.x - from.x) * dy) + Math.abs((one.y - from.y) * dx);
    if (ahead > 0 && ahead + 2 * aside < least) [best, least] = [one, ahead + 2 * aside];
  }
  return best;
}
