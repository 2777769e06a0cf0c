import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Table } from "@guildhall/console/ui/Table";
import { pathOf, type Neighbourhood, type Scope } from "./entities";
import { saidOf, statementsOf, type Node } from "./neighbourhood";
import { TypeMark } from "./TypeMark";
import styles from "./Knowledge.module.css";

/** Everything that the drawing has: who is there and how far, and every relation between them. */
export function NeighbourhoodTable({ graph, scope }: { graph: Neighbourhood; scope: Scope }) {
  const t = useText();
  const name = (node: Node) => (
    <Link href={pathOf(node.id, scope)} dir="auto">
      {node.name}
    </Link>
  );
  return (
    <div className={styles.twin}>
      <Table<Node>
        label={t("graph.nodes")}
        items={graph.nodes}
        idOf={({ id }) => id}
        columns={[
          { id: "name", name: t("list.name"), cell: name },
          { id: "type", name: t("list.type"), cell: ({ type }) => <TypeMark type={type} /> },
          { id: "distance", name: t("graph.distance"), isFigure: true, cell: ({ distance }) => distance },
        ]}
      />
      {graph.edges.length > 0 && (
        <Table
          label={t("graph.relations")}
          items={statementsOf(graph)}
          idOf={({ id }) => id}
          columns={[
            { id: "subject", name: t("graph.subject"), cell: ({ subject }) => name(subject) },
            { id: "predicate", name: t("graph.predicate"), cell: ({ predicate }) => <span dir="auto">{saidOf(predicate)}</span> },
            { id: "object", name: t("graph.object"), cell: ({ object }) => name(object) },
          ]}
        />
      )}
    </div>
  );
}
