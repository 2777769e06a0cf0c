import { Plus } from "lucide-react";
import { useCallback, useState } from "react";
import { Redirect, useLocation, useRoute, useSearch } from "wouter";

import { useLive } from "@guildhall/console/api/live";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { useFilters } from "@guildhall/console/ui/query";
import { shownOf } from "./filters";
import { FoundNotes } from "./FoundNotes";
import { NoteBin } from "./NoteBin";
import { NoteFilters } from "./NoteFilters";
import { NoteList } from "./NoteList";
import { NotePane } from "./NotePane";
import { beginNew, isNew, NEW } from "./newNotes";
import styles from "./Notes.module.css";
import { UnfinishedNotes } from "./UnfinishedNotes";

/** The notes one may read, and beside them the one that is open. */
export default function Notes() {
  const t = useText();
  const may = useMay();
  useLive("/api/notes", ["notes"], ["note"]);
  const [, params] = useRoute("/notes/:id?");
  const id = params?.id;
  const [, navigate] = useLocation();
  const search = useSearch();
  const [filters, setFilters] = useFilters();
  // A new note goes on being written under its id: the pane stays the same.
  const [moved, setMoved] = useState<{ key: string; to: string } | null>(null);
  const key = id === moved?.to ? moved?.key : id === moved?.key ? `${id}.` : id;

  const addressOf = useCallback((to: string | null) => `/notes${to ? `/${to}` : ""}${search ? `?${search}` : ""}`, [search]);
  const go = useCallback((to: string | null) => navigate(addressOf(to)), [navigate, addressOf]);
  const close = useCallback(() => go(null), [go]);
  const open = useCallback((to: string) => navigate(`/notes/${to}`), [navigate]);
  const goOnAs = useCallback(
    (to: string) => {
      // Who is on their way to somewhere else is not brought back.
      if (location.pathname !== `/notes/${id}`) return;
      setMoved({ key: key ?? to, to });
      navigate(addressOf(to), { replace: true });
    },
    [navigate, addressOf, id, key],
  );

  const shown = shownOf(filters.show, may("org:read"));
  const write = may("notes:write") && (
    <Button kind={id ? "plain" : "primary"} onPress={() => go(NEW)}>
      <Plus size={16} />
      {t("notes.new")}
    </Button>
  );
  if (id === NEW) return <Redirect to={addressOf(beginNew())} replace />;
  const list = { shown, openId: id ?? null, onOpen: go };
  const unfinished = <UnfinishedNotes openId={id ?? null} addressOf={addressOf} />;
  return (
    <div className={styles.split} data-open={id ? "" : undefined}>
      <section className={styles.list} aria-label={t("nav.notes")}>
        <div className={styles.head}>
          <h1>{t("nav.notes")}</h1>
          {write}
        </div>
        {unfinished}
        <NoteFilters words={filters.q ?? ""} shown={shown} onChange={setFilters} />
        {filters.tag && (
          <p className={styles.tagged}>
            {t("notes.tag_shown", { tag: filters.tag })}
            <Button kind="quiet" onPress={() => setFilters({ tag: "" })}>
              {t("notes.tag_all")}
            </Button>
          </p>
        )}
        {filters.q ? (
          <FoundNotes words={filters.q} {...list} />
        ) : shown === "bin" ? (
          <NoteBin onRestored={open} />
        ) : (
          <NoteList {...list} tag={filters.tag} action={write} />
        )}
      </section>
      {id && (
        <div className={styles.detail}>
          {/* Below 1,100 px the list with its heading is away. */}
          <h1 className={styles.alone}>{t("nav.notes")}</h1>
          {isNew(id) && <div className={styles.beside}>{unfinished}</div>}
          <NotePane key={key} id={id} onMoved={goOnAs} onClose={close} />
        </div>
      )}
    </div>
  );
}
