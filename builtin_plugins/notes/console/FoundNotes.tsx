import { Fragment } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { RowList, RowTitle } from "@guildhall/console/ui/RowList";
import { usePages } from "@guildhall/console/ui/usePages";
import type { NoteListProps } from "./NoteList";
import styles from "./Notes.module.css";

/** Notes with these words in them, best first. */
export function FoundNotes({ words, shown, openId, onOpen }: NoteListProps & { words: string }) {
  const t = useText();
  const scope = shown === "company" ? "org" : "team";
  const pages = usePages(["notes", "found", scope, words], (cursor) =>
    dataOf(api.GET("/api/search", { params: { query: { ...cursor, q: words, type: "note", scope } } })),
  );
  return (
    <RowList
      label={t("nav.notes")}
      pages={pages}
      idOf={(found) => found.id}
      openId={openId}
      onOpen={(found) => onOpen(found.id)}
      empty={{ text: t("palette.nothing", { query: words }) }}
      row={(found) => (
        <>
          <RowTitle>{found.title.trim() || t("notes.untitled")}</RowTitle>
          <span className={styles.snippet} dir="auto">
            <Snippet text={found.snippet} />
          </span>
        </>
      )}
    />
  );
}

/** The server marks what was found with U+0001 and U+0002. */
function Snippet({ text }: { text: string }) {
  return text
    .split("\u0001")
    .map((part, index) => {
      if (index === 0) return part;
      const [hit, rest = ""] = part.split("\u0002");
      return (
        <Fragment key={index}>
          <mark className={styles.hit}>{hit}</mark>
          {rest}
        </Fragment>
      );
    });
}
