import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { Time } from "@guildhall/console/ui/Time";
import styles from "./Parts.module.css";
import { bare, type Schema } from "@guildhall/console/screens/schema";

/** A field of an answer, shown as its schema says. */
export function Value({ schema, value }: { schema: Schema; value: unknown }) {
  const t = useText();
  const { locale } = useTexts();
  const { schema: own } = bare(schema);
  if (value === undefined || value === null || value === "") return <span className={styles.nothing}>–</span>;
  if (typeof value === "boolean") return t(value ? "contributed.yes" : "contributed.no");
  if (typeof value === "number") return new Intl.NumberFormat(locale).format(value);
  if (Array.isArray(value)) return <span dir="auto">{value.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join(", ")}</span>;
  if (typeof value === "object") return <code className={styles.raw}>{JSON.stringify(value)}</code>;
  if (own.format === "date-time" && !Number.isNaN(Date.parse(String(value)))) return <Time at={String(value)} />;
  return <span dir="auto">{String(value)}</span>;
}

export const isFigure = (schema: Schema) => ["integer", "number"].includes(bare(schema).schema.type ?? "");
