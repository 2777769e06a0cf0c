/** A neighbourhood as a table has it: everything that the drawing has, in words. */

import type { Neighbourhood } from "./entities";

export type Node = Neighbourhood["nodes"][number];

export interface Statement {
  id: string;
  subject: Node;
  predicate: string;
  object: Node;
}

/** Every edge with both its ends, nearest first. */
export function statementsOf({ nodes, edges }: Pick<Neighbourhood, "nodes" | "edges">): Statement[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const statements = edges.flatMap(({ source, predicate, target }): Statement[] => {
    const [subject, object] = [byId.get(source), byId.get(target)];
    return subject && object ? [{ id: `${source} ${predicate} ${target}`, subject, predicate, object }] : [];
  });
  const distance = ({ subject, object }: Statement) => Math.min(subject.distance, object.distance);
  return statements.sort((one, other) => distance(one) - distance(other));
}

/** `works_for` as people say it. */
export const saidOf = (predicate: string): string => predicate.replaceAll("_", " ");
