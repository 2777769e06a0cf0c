import { useQueryClient } from "@tanstack/react-query";
import { RotateCcw, Trash2 } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Time } from "@guildhall/console/ui/Time";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { typableName } from "./deleting";
import styles from "./Notes.module.css";
import type { Note } from "./version";

/** What was deleted, to be taken out again or deleted for good. */
export function NoteBin({ onRestored }: { onRestored: (id: string) => void }) {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [problem, setProblem] = useState<unknown>(null);
  const [leaving, setLeaving] = useState<Note | null>(null);
  const pages = usePages(["notes", "bin"], (cursor) => dataOf(api.GET("/api/notes", { params: { query: { ...cursor, deleted: "1" } } })));
  const refresh = () => void client.invalidateQueries({ queryKey: ["notes"] });
  const titleOf = (note: Note) => note.title.trim() || t("notes.untitled");
  async function restore(note: Note) {
    setProblem(null);
    try {
      await api.POST("/api/notes/{id}/restore", { params: { path: { id: note.id } } });
      announce(t("notes.restored"));
      onRestored(note.id);
    } catch (cause) {
      setProblem(cause);
    } finally {
      refresh();
    }
  }
  if (pages.isPending) return <SkeletonRows />;
  if (pages.isError) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  const notes = pages.data.pages.flatMap(({ items }) => items);
  return (
    <>
      {problem !== null && <ProblemNotice problem={problem} />}
      {notes.length === 0 ? (
        <EmptyState text={t("notes.bin_empty")} />
      ) : (
        <>
          <p className={styles.help}>{t("notes.bin_help")}</p>
          <ul className={styles.bin} aria-label={t("notes.show_bin")}>
            {notes.map((note) => (
              <li key={note.id} className={styles.binned}>
                <bdi title={note.excerpt}>{titleOf(note)}</bdi>
                {note.deleted_at && <Time at={note.deleted_at} />}
                <RowAction icon={RotateCcw} name={t("notes.restore")} of={titleOf(note)} onPress={() => void restore(note)} />
                <RowAction icon={Trash2} name={t("notes.delete_forever")} of={titleOf(note)} onPress={() => setLeaving(note)} />
              </li>
            ))}
          </ul>
          {pages.hasNextPage && (
            <Button isPending={pages.isFetchingNextPage} onPress={() => void pages.fetchNextPage()}>
              {t("action.show_more")}
            </Button>
          )}
        </>
      )}
      {leaving && (
        <ConfirmByName
          isOpen
          title={t("notes.delete_forever")}
          text={t("notes.delete_forever_confirm", { title: titleOf(leaving).slice(0, 60) })}
          name={typableName(leaving)}
          action={t("notes.delete_forever")}
          onClose={() => setLeaving(null)}
          onConfirm={async () => {
            await api.DELETE("/api/notes/{id}", { params: { path: { id: leaving.id }, query: { forever: "1" } } });
            refresh();
          }}
        />
      )}
    </>
  );
}
