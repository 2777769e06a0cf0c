import { useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import styles from "./Translate.module.css";
import type { Translation } from "./useTranslation";

const SHOWN = 200;

interface HistoryProps {
  openId: string | null;
  hidden: ReadonlySet<string>;
  onOpen: (translation: Translation) => void;
}

/** What the team translated: one's own can be taken up again, of others' one sees that they were made. */
export function History({ openId, hidden, onOpen }: HistoryProps) {
  const t = useText();
  const pages = usePages(["translations"], (cursor) => dataOf(api.GET("/api/translate", { params: { query: cursor } })));
  const data = useMemo(
    () => pages.data && { pages: pages.data.pages.map(({ items }) => ({ items: items.filter(({ id }) => !hidden.has(id)) })) },
    [pages.data, hidden],
  );
  return (
    <section className={styles.history}>
      <h2>{t("translate.history")}</h2>
      <RowList
        label={t("translate.history")}
        pages={{ ...pages, data }}
        idOf={(item) => item.id}
        openId={openId}
        onOpen={({ text, source_text: sourceText, glossary, missed, ...rest }) => {
          if (text === null || sourceText === null) return;
          onOpen({ ...rest, text, sourceText, glossary: glossary ?? [], missed: missed ?? [] });
        }}
        empty={{ text: t("translate.history_empty") }}
        row={(item) => (
          <>
            <span className={styles.pair}>
              {item.source ?? "?"} → {item.target}
            </span>
            <RowTitle>
              {item.source_text === null ? (
                <span className={styles.empty}>{t("translate.private_text", { name: item.by.name })}</span>
              ) : (
                <bdi className={styles.own}>{item.source_text.slice(0, SHOWN)}</bdi>
              )}
            </RowTitle>
            <RowMeta>
              <Time at={item.created_at} />
            </RowMeta>
          </>
        )}
      />
    </section>
  );
}
