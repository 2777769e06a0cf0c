import { FileText } from "lucide-react";
import { Link } from "wouter";

import type { Entity } from "./entities";
import { marked, nameOfKey } from "./passages";
import styles from "./Knowledge.module.css";

/** Where documents speak of it, each with a way into the document. */
export function Passages({ entity }: { entity: Pick<Entity, "mentions" | "name"> }) {
  return (
    <ul className={styles.passages}>
      {entity.mentions.map((mention, place) => (
        <li key={`${mention.object_id}-${place}`}>
          <blockquote dir="auto">
            {marked(mention.snippet, mention.name || entity.name).map((part, index) =>
              part.isHit ? <mark key={index}>{part.text}</mark> : <span key={index}>{part.text}</span>,
            )}
          </blockquote>
          <Link href={`/files/${mention.object_id}`} className={styles.document} title={mention.key}>
            <FileText size={16} aria-hidden="true" />
            <span dir="auto">{nameOfKey(mention.key)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
