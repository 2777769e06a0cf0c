/** Where the steps of a graph stand: from top to bottom. */

import { graphlib, layout } from "@dagrejs/dagre";

import type { SpecGraph } from "./spec";

export const NODE_WIDTH = 208;
export const NODE_HEIGHT = 64;
const BESIDE = 32;
const BELOW = 40;
const MARGIN = 8;
/** Up to how many steps dagre looks for the best places: what it takes grows faster than they do. */
const BEST_PLACED = 40;

interface Point {
  x: number;
  y: number;
}

export interface Placed {
  positions: Map<string, Point>;
  width: number;
  height: number;
}

export function placeSteps(graph: SpecGraph): Placed {
  const corners = graph.steps.length > BEST_PLACED ? placeInRanks(graph) : placeWell(graph);
  return {
    positions: new Map(graph.steps.map(({ name }, index) => [name, corners[index] ?? { x: 0, y: 0 }])),
    width: Math.max(0, ...corners.map(({ x }) => x)) + NODE_WIDTH,
    height: Math.max(0, ...corners.map(({ y }) => y)) + NODE_HEIGHT,
  };
}

/** The edges by the places of their steps. */
function edgesByPlace({ steps, edges }: SpecGraph): { from: number; to: number; way: string }[] {
  const places = new Map(steps.map(({ name }, index) => [name, index]));
  return edges.map(({ from, to, way }) => ({ from: places.get(from) ?? 0, to: places.get(to) ?? 0, way: way ?? "next" }));
}

function placeWell(graph: SpecGraph): Point[] {
  const drawn = new graphlib.Graph({ multigraph: true });
  drawn.setGraph({ rankdir: "TB", nodesep: BESIDE, ranksep: BELOW, marginx: MARGIN, marginy: MARGIN });
  drawn.setDefaultEdgeLabel(() => ({}));
  // By their places, not their names: one called `constructor` or `__proto__` would meet the library's own objects.
  const idOf = (place: number) => `step ${place}`;
  graph.steps.forEach((_, place) => drawn.setNode(idOf(place), { width: NODE_WIDTH, height: NODE_HEIGHT }));
  edgesByPlace(graph).forEach(({ from, to, way }) => drawn.setEdge(idOf(from), idOf(to), {}, way));
  layout(drawn);
  return graph.steps.map((_, place) => {
    const { x, y } = drawn.node(idOf(place)) as Point;
    return { x: x - NODE_WIDTH / 2, y: y - NODE_HEIGHT / 2 };
  });
}

/** Every step below all that lead forward to it; those of one rank side by side, in the middle. */
function placeInRanks(graph: SpecGraph): Point[] {
  const ranks = graph.steps.map(() => 0);
  const forward = edgesByPlace(graph).filter(({ from, to }) => to > from);
  for (const { from, to } of forward) ranks[to] = Math.max(ranks[to] ?? 0, (ranks[from] ?? 0) + 1);
  const counts = new Map<number, number>();
  const columns = ranks.map((rank) => {
    const column = counts.get(rank) ?? 0;
    counts.set(rank, column + 1);
    return column;
  });
  const widest = Math.max(1, ...counts.values());
  return ranks.map((rank, place) => ({
    x: MARGIN + ((columns[place] ?? 0) + (widest - (counts.get(rank) ?? 1)) / 2) * (NODE_WIDTH + BESIDE),
    y: MARGIN + rank * (NODE_HEIGHT + BELOW),
  }));
}
