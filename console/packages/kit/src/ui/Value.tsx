import { useMemo } from "react";

import { CodeBlock } from "./CodeBlock";
import { isRecord } from "../screens/schema";
import styles from "./Value.module.css";

/** An input or an output: a text as it reads, everything else as JSON. */
export function Value({ title, value, none }: { title: string; value: unknown; none: string }) {
  const text = useMemo(() => readable(value), [value]);
  return (
    <section className={styles.value}>
      <h3>{title}</h3>
      {text === null ? <p className={styles.none}>{none}</p> : <CodeBlock text={text} name={title} />}
    </section>
  );
}

function readable(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (isRecord(value) && typeof value.result === "string" && Object.keys(value).length === 1) return value.result;
  return JSON.stringify(value, null, 2);
}
