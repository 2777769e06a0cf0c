import { CopyButton } from "@guildhall/console/ui/CopyButton";
import { snippetsFor, type S3Place } from "./snippets";
import styles from "./Team.module.css";

/** How programs are told of the hall's S3, each to be copied. */
export function SnippetList({ place, keyId, secret }: { place: S3Place; keyId: string; secret: string }) {
  return snippetsFor(place, keyId, secret).map(({ id, name, text }) => (
    <details key={id}>
      <summary>{name}</summary>
      <div className={styles.stack}>
        <pre className={styles.snippet} tabIndex={0} aria-label={name} role="region">
          {text}
        </pre>
        <div>
          <CopyButton text={text} name={name} />
        </div>
      </div>
    </details>
  ));
}
