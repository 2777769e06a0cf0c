import { ArrowLeft, ArrowRight } from "lucide-react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Table } from "@guildhall/console/ui/Table";
import { pathOf, type Entity, type Scope } from "./entities";
import { saidOf } from "./neighbourhood";
import { TypeMark } from "./TypeMark";
import styles from "./Knowledge.module.css";

type Relation = Entity["relations"][number];

/** What it relates to, as documents say. */
export function Relations({ entity, scope }: { entity: Entity; scope: Scope }) {
  const t = useText();
  return (
    <Table<Relation>
      label={t("graph.relations")}
      items={entity.relations}
      idOf={({ predicate, direction, entity: other }) => `${predicate} ${direction} ${other.id}`}
      columns={[
        { id: "predicate", name: t("graph.predicate"), cell: (relation) => <Direction relation={relation} /> },
        {
          id: "entity",
          name: t("list.name"),
          cell: ({ entity: other }) => (
            <Link href={pathOf(other.id, scope)} dir="auto">
              {other.name}
            </Link>
          ),
        },
        { id: "type", name: t("list.type"), isSecondary: true, cell: ({ entity: other }) => <TypeMark type={other.type} /> },
      ]}
    />
  );
}

function Direction({ relation }: { relation: Relation }) {
  const t = useText();
  const isOut = relation.direction === "out";
  const Icon = isOut ? ArrowRight : ArrowLeft;
  return (
    <span className={styles.type}>
      <Icon size={16} role="img" aria-label={t(isOut ? "graph.outwards" : "graph.inwards")} />
      <span dir="auto">{saidOf(relation.predicate)}</span>
    </span>
  );
}
