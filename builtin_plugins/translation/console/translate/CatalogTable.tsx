import { TriangleAlert } from "lucide-react";

import { useText } from "@guildhall/console/i18n/texts";
import { Table } from "@guildhall/console/ui/Table";
import type { Messages } from "./catalog";
import styles from "./Catalog.module.css";

interface Translated {
  target: string;
  messages: Messages;
  problems: readonly { key: string; message: string }[];
}

/** A table of more than this is a file to look into, and not a screen. */
const SHOWN = 200;

/** The messages beside their translations; those that stayed as they were come first, and say why. */
export function CatalogTable({ messages, translated }: { messages: Messages; translated: Translated | null }) {
  const t = useText();
  const problems = new Map(translated?.problems.map(({ key, message }) => [key, message]));
  const keys = Object.keys(messages);
  const ordered = [...keys.filter((key) => problems.has(key)), ...keys.filter((key) => !problems.has(key))];
  const translation = (key: string) =>
    problems.has(key) ? (
      <span className={styles.kept}>
        <TriangleAlert size={16} aria-hidden="true" />
        {problems.get(key)}
      </span>
    ) : (
      <bdi lang={translated?.target}>{translated?.messages[key]}</bdi>
    );
  return (
    <>
      {problems.size > 0 && <p className={styles.muted}>{t("translate.catalog_problems", { count: problems.size })}</p>}
      <Table
        label={t("translate.catalog")}
        items={ordered.slice(0, SHOWN)}
        idOf={(key) => key}
        columns={[
          { id: "key", name: t("translate.catalog_key"), isSecondary: true, cell: (key) => <code>{key}</code> },
          { id: "text", name: t("translate.catalog_text"), cell: (key) => <bdi>{messages[key]}</bdi> },
          ...(translated ? [{ id: "translation", name: t("translate.result"), cell: translation }] : []),
        ]}
      />
      {keys.length > SHOWN && <p className={styles.muted}>{t("translate.catalog_more", { count: keys.length - SHOWN })}</p>}
    </>
  );
}
