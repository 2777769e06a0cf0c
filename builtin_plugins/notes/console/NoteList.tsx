import { Lock, Users } from "lucide-react";
import { useMemo, type ReactNode } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { RowList, RowMeta, RowTitle } from "@guildhall/console/ui/RowList";
import { Time } from "@guildhall/console/ui/Time";
import { usePages } from "@guildhall/console/ui/usePages";
import { isShown, type Shown } from "./filters";
import styles from "./Notes.module.css";
import type { Note } from "./version";

export interface NoteListProps {
  shown: Shown;
  openId: string | null;
  onOpen: (id: string) => void;
  action?: ReactNode;
  /** Only those with this tag. */
  tag?: string | undefined;
}

/** Notes, what changed last first, each with how it begins. */
export function NoteList({ shown, openId, onOpen, action, tag }: NoteListProps) {
  const t = useText();
  const { user } = useIdentity();
  const scope = shown === "company" ? "org" : "team";
  const pages = usePages(["notes", scope, tag ?? ""], (cursor) =>
    dataOf(api.GET("/api/notes", { params: { query: { ...cursor, scope, sort: "updated", ...(tag && { tag }) } } })),
  );
  const data = useMemo(() => {
    const fitting = pages.data?.pages.map((page) => ({ items: page.items.filter((note) => isShown(note, shown, user.id)) }));
    return fitting && { pages: fitting };
  }, [pages.data, shown, user.id]);
  const isFiltered = Boolean(tag) || (shown !== "all" && shown !== "company");
  const isLooking = isFiltered && pages.hasNextPage && data?.pages.every(({ items }) => items.length === 0);
  return (
    <RowList<Note>
      label={t("nav.notes")}
      pages={{ ...pages, data, isPending: pages.isPending || Boolean(isLooking) }}
      idOf={(note) => note.id}
      openId={openId}
      lines={3}
      onOpen={(note) => onOpen(note.id)}
      empty={isFiltered ? { text: t("notes.none_here") } : { text: t("notes.empty"), action }}
      row={(note) => (
        <>
          <span className={styles.mark} title={t(`visibility.${note.visibility}`)}>
            {note.visibility === "team" ? <Users size={16} aria-hidden="true" /> : <Lock size={16} aria-hidden="true" />}
            <span className={styles.unseen}>{t(`visibility.${note.visibility}`)}</span>
          </span>
          <RowTitle>
            <span className={styles.name}>{note.title.trim() || t("notes.untitled")}</span>
            {note.excerpt && <bdi className={styles.excerpt}>{note.excerpt}</bdi>}
          </RowTitle>
          {note.owner.id !== user.id && (
            <RowMeta isSecondary>
              <bdi className={styles.owner}>{note.owner.name}</bdi>
            </RowMeta>
          )}
          <RowMeta>
            <Time at={note.updated_at} />
          </RowMeta>
        </>
      )}
    />
  );
}
