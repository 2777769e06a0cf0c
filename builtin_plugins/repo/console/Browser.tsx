import { useCallback, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { useFilters } from "@guildhall/console/ui/query";
import { Breadcrumbs } from "./Breadcrumbs";
import styles from "./Browser.module.css";
import { BulkBar } from "./BulkBar";
import { EmptyFolder } from "./EmptyFolder";
import { FileGrid } from "./FileGrid";
import { NewDocument } from "./NewDocument";
import { useFolder, type View } from "./objects";
import { SearchField } from "./SearchField";
import { SearchHits } from "./SearchHits";
import { Selection } from "./selection";
import { plainName } from "@guildhall/console/ui/sizes";
import { crumbsOf, entriesOf } from "./tree";
import { DropZone } from "./uploads/DropZone";
import { UploadButtons } from "./uploads/UploadButtons";
import { UploadTray } from "./uploads/UploadTray";
import { Views } from "./Views";

/** The repository, folder by folder. */
export function Browser({ view }: { view: View }) {
  const t = useText();
  const may = useMay();
  const [filters, setFilters] = useFilters();
  const [, navigate] = useLocation();
  const [isNew, setNew] = useState(false);
  const prefix = filters["prefix"] ?? "";
  const query = filters["q"] ?? "";
  const selection = useRef(new Selection()).current;
  const pages = useFolder(view, prefix);
  const entries = useMemo(() => entriesOf(pages.data?.pages ?? [], prefix), [pages.data, prefix]);
  const mayUpload = view === "all" && may("files:write");
  const search = useCallback((q: string) => setFilters({ q }), [setFilters]);
  const title = plainName(crumbsOf(prefix).at(-1)?.name ?? "") || t("nav.files");
  return (
    <>
      {view !== "deleted" && <Breadcrumbs view={view} prefix={prefix} />}
      <PageHead title={title}>
        {mayUpload && <UploadButtons prefix={prefix} onNewDocument={() => setNew(true)} />}
      </PageHead>
      <div className={styles.line}>
        <Views view={view} />
        {may("search") && view !== "deleted" && <SearchField value={query} onSearch={search} />}
      </div>
      <UploadTray />
      {query ? (
        <SearchHits query={query} isAcrossCompany={view === "company"} />
      ) : (
        <FileGrid
          key={prefix}
          view={view}
          entries={entries}
          pages={pages}
          selection={selection}
          empty={<EmptyFolder view={view} prefix={prefix} mayUpload={mayUpload} />}
        />
      )}
      <BulkBar view={view} selection={selection} entries={entries} />
      {mayUpload && <DropZone prefix={prefix} />}
      {isNew && <NewDocument onClose={() => setNew(false)} onMade={(id) => navigate(`/files/${id}?edit=1`)} />}
    </>
  );
}
