/** Where the nodes of a drawing begin: always in the same place, so that the same graph is drawn the same way. */

import type { Node } from "./neighbourhood";

export interface Place {
  x: number;
  y: number;
}

/** The entity in the middle, the others on a ring for each step away from it. */
export function rings(nodes: readonly Node[]): Map<string, Place> {
  const places = new Map<string, Place>();
  const furthest = Math.max(0, ...nodes.map(({ distance }) => distance));
  for (let distance = 0; distance <= furthest; distance += 1) {
    const ring = nodes.filter((node) => node.distance === distance);
    ring.forEach(({ id }, index) => {
      const angle = (2 * Math.PI * index) / ring.length + distance;
      places.set(id, { x: distance * Math.cos(angle), y: distance * Math.sin(angle) });
    });
  }
  return places;
}

/** A mix of two colours, `share` of the first. */
export function mix(one: string, other: string, share: number): string {
  const [a, b] = [channels(one), channels(other)];
  const mixed = a.map((value, index) => Math.round(value * share + (b[index] ?? 0) * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

const channels = (hex: string): number[] => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) || 0);
