import { Plus } from "lucide-react";
import { useCallback, useState } from "react";
import { useLocation, useRoute, useSearch } from "wouter";

import { useText } from "../../i18n/texts";
import { useMay } from "../../session/identity";
import { Button } from "../../ui/Button";
import { useFilters } from "../../ui/query";
import { shownOf } from "./filters";
import { FoundNotes } from "./FoundNotes";
import { NoteFilters } from "./NoteFilters";
import { NoteList } from "./NoteList";
import { NotePane } from "./NotePane";
import styles from "./Notes.module.css";
import type { Version } from "./version";

const NEW = "new";

/** The notes one may read, and beside them the one that is open. */
export default function Notes() {
  const t = useText();
  const may = useMay();
  const [, params] = useRoute("/notes/:id?");
  const id = params?.id;
  const [, navigate] = useLocation();
  const search = useSearch();
  const [filters, setFilters] = useFilters();
  // A new note goes on being written under its id: the pane stays the same.
  const [written, setWritten] = useState<{ round: number; id: string | null }>({ round: 0, id: null });
  const key = id === NEW ? `new-${written.round + (written.id ? 1 : 0)}` : id === written.id ? `new-${written.round}` : id;

  const go = useCallback(
    (to: string | null, options?: { replace: boolean }) => navigate(`/notes${to ? `/${to}` : ""}${search ? `?${search}` : ""}`, options),
    [navigate, search],
  );
  const close = useCallback(() => go(null), [go]);
  const created = useCallback(
    (version: Version) => {
      // Who is on their way to somewhere else is not brought back.
      if (location.pathname !== `/notes/${NEW}`) return;
      setWritten((before) => ({ round: before.round + (before.id ? 1 : 0), id: version.note.id }));
      go(version.note.id, { replace: true });
    },
    [go],
  );

  const shown = shownOf(filters.show, may("org:read"));
  const write = may("notes:write") && (
    <Button kind={id ? "plain" : "primary"} onPress={() => go(NEW)}>
      <Plus size={16} />
      {t("notes.new")}
    </Button>
  );
  const list = { shown, openId: id ?? null, onOpen: go };
  return (
    <div className={styles.split} data-open={id ? "" : undefined}>
      <section className={styles.list} aria-label={t("nav.notes")}>
        <div className={styles.head}>
          <h1>{t("nav.notes")}</h1>
          {write}
        </div>
        <NoteFilters words={filters.q ?? ""} shown={shown} onChange={setFilters} />
        {filters.q ? <FoundNotes words={filters.q} {...list} /> : <NoteList {...list} action={write} />}
      </section>
      {id && (
        <div className={styles.detail}>
          {/* Below 1,100 px the list with its heading is away. */}
          <h1 className={styles.alone}>{t("nav.notes")}</h1>
          <NotePane key={key} id={id === NEW ? null : id} onCreated={created} onClose={close} />
        </div>
      )}
    </div>
  );
}
