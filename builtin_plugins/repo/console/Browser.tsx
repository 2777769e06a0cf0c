import { useCallback, useEffect, useMemo, useRef, useState, Suspense } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { useFilters } from "@guildhall/console/ui/query";
import { plainName } from "@guildhall/console/ui/sizes";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { Breadcrumbs } from "./Breadcrumbs";
import styles from "./Browser.module.css";
import { BulkBar, FailedNotice } from "./BulkBar";
import { EmptyFolder } from "./EmptyFolder";
import { FileGrid } from "./FileGrid";
import { changeLooks, useLooks } from "./looks";
import { useClash } from "./moves/clashes";
import { MoveTray } from "./moves/MoveTray";
import { useFolder, type View } from "./objects";
import { PasteZone } from "./PasteZone";
import { SearchField } from "./SearchField";
import { SearchHits } from "./SearchHits";
import { Selection } from "./selection";
import { SidePanel } from "./SidePanel";
import { Toolbar } from "./Toolbar";
import { crumbsOf, entriesOf, type Entry } from "./tree";
import { DropZone } from "./uploads/DropZone";
import { UploadButtons } from "./uploads/UploadButtons";
import { UploadTray } from "./uploads/UploadTray";
import { useBrowserCommands } from "./useBrowserCommands";
import { Views } from "./Views";

// Dialogs, menus and previews are much code: loaded when they are first opened.
const loadOver = () => import("./Overlay");
const Overlay = lazyPart(loadOver);
const ClashDialog = lazyPart(() => import("./moves/ClashDialog"));

/** The repository, folder by folder. */
export function Browser({ view }: { view: View }) {
  const t = useText();
  const may = useMay();
  const [filters, setFilters] = useFilters();
  const [, navigate] = useLocation();
  const looks = useLooks();
  const prefix = filters["prefix"] ?? "";
  const query = filters["q"] ?? "";
  const selection = useRef(new Selection()).current;
  const [active, setActive] = useState<Entry | null>(null);
  const pages = useFolder(view, prefix, looks);
  const entries = useMemo(() => entriesOf(pages.data?.pages ?? [], prefix), [pages.data, prefix]);
  const { commands, moves, act, isPending, failed, setFailed, over, setOver } = useBrowserCommands(view, selection);
  const mayUpload = view === "all" && may("files:write");
  const search = useCallback((q: string) => setFilters({ q }), [setFilters]);
  const title = plainName(crumbsOf(prefix).at(-1)?.name ?? "") || t("nav.files");
  const clash = useClash();
  const hasPanel = looks.details && !query;
  useEffect(() => void loadOver().catch(() => undefined), []);
  return (
    <>
      {view !== "deleted" && <Breadcrumbs view={view} prefix={prefix} onMove={mayUpload ? commands.move : undefined} />}
      <PageHead title={title}>
        {mayUpload && <UploadButtons prefix={prefix} onNewDocument={() => setOver({ kind: "document" })} onNewFolder={() => setOver({ kind: "folder" })} />}
      </PageHead>
      <div className={styles.line}>
        <Views view={view} />
        <div className={styles.tools}>
          {may("search") && view !== "deleted" && <SearchField value={query} onSearch={search} />}
          {!query && <Toolbar onDetails={() => (looks.details ? changeLooks({ details: false }) : commands.details())} />}
        </div>
      </div>
      <UploadTray />
      <MoveTray />
      <div className={hasPanel ? styles.beside : undefined}>
        {query ? (
          <SearchHits query={query} isAcrossCompany={view === "company"} />
        ) : (
          <FileGrid
            key={prefix}
            view={view}
            layout={looks.layout}
            entries={entries}
            pages={pages}
            selection={selection}
            commands={commands}
            isMovable={mayUpload}
            onActive={setActive}
            empty={<EmptyFolder view={view} prefix={prefix} mayUpload={mayUpload} />}
          />
        )}
        {hasPanel && <SidePanel view={view} selection={selection} active={active} onClose={() => changeLooks({ details: false })} />}
      </div>
      <FailedNotice failed={failed} onClose={() => setFailed([])} />
      <BulkBar view={view} selection={selection} entries={entries} commands={commands} act={act} isPending={isPending} />
      {mayUpload && <DropZone prefix={prefix} />}
      {mayUpload && <PasteZone prefix={prefix} onMove={commands.move} />}
      <Suspense fallback={null}>
        {clash && <ClashDialog clash={clash} />}
        {over && (
          <Overlay
            over={over}
            view={view}
            prefix={prefix}
            entries={entries}
            selection={selection}
            active={active}
            commands={commands}
            moves={moves}
            onOver={setOver}
            onMade={(id) => navigate(`/files/${id}?edit=1`)}
          />
        )}
      </Suspense>
    </>
  );
}
