import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { Panel } from "@guildhall/console/ui/Panel";
import styles from "./Document.module.css";

const MAX_SHOWN = 50;

/** Who and what an object speaks of, by the knowledge graph; nothing until it was read for it. */
export function Mentions({ id }: { id: string }) {
  const { t, has } = useTexts();
  const entities = useQuery({
    queryKey: ["file-mentions", id],
    queryFn: () => dataOf(api.GET("/api/kg/entities", { params: { query: { object: id, limit: MAX_SHOWN } } })),
  });
  const items = entities.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Panel title={t("files.mentions")}>
      <ul className={styles.mentions}>
        {items.map((entity) => (
          <li key={entity.id}>
            <Link href={`/knowledge/${entity.id}`} className={styles.mention ?? ""} dir="auto">
              {entity.name}
              <span className={styles.quiet}>{has(`graph.${entity.type}`) ? t(`graph.${entity.type}`) : entity.type}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
