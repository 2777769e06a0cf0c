import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";

import { Problem } from "@guildhall/console/api/problem";
import { LeftDraft } from "@guildhall/console/drafts/LeftDraft";
import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useFilters } from "@guildhall/console/ui/query";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Breadcrumbs } from "../Breadcrumbs";
import { loadObject, MANAGE, may as mayDo, objectKey, WRITE, type StoredObject } from "../objects";
import { isText, MAX_TEXT_BYTES, mediaType } from "@guildhall/console/ui/sizes";
import { folderOf } from "../tree";
import { DropZone } from "../uploads/DropZone";
import { uploads } from "../uploads/store";
import { UploadTray } from "../uploads/UploadTray";
import { Compare } from "./Compare";
import { Details } from "./Details";
import styles from "./Document.module.css";
import { DocumentEditor } from "./DocumentEditor";
import { DocumentHead } from "./DocumentHead";
import { ExtractedText } from "./ExtractedText";
import { Grants } from "./Grants";
import { Mentions } from "./Mentions";
import { Preview } from "../preview/Preview";
import { Provenance } from "./Provenance";
import { ShareDialog } from "./ShareDialog";
import { Shows, type Show } from "./Shows";
import { OldVersion, Versions } from "./Versions";

const SOON_MS = 1_500;
const LATER_MS = 15_000;

/** One object under its own address: what it holds, how it came to be, and who sees it. */
export default function Document({ id }: { id: string }) {
  const may = useMay();
  const query = useQuery({
    queryKey: objectKey(id),
    queryFn: () => loadObject(id, may("org:read")),
    // Its text is read while one looks on, and somebody else may write a version.
    refetchInterval: ({ state }) => (state.error ? false : state.data && isBeingRead(state.data) ? SOON_MS : LATER_MS),
  });
  // Whoever comes by its line in the list of uploads has seen what came of them.
  useEffect(() => uploads.dismissDone(), []);
  if (query.isPending) return <SkeletonRows />;
  if (query.isError && !query.data) return <Missing id={id} problem={query.error} onRetry={() => void query.refetch()} />;
  return <Opened object={query.data} isGone={query.error instanceof Problem && query.error.status === 404} />;
}

const isBeingRead = ({ text_status }: StoredObject) => text_status === "pending" || text_status === "stale";

function Missing({ id, problem, onRetry }: { id: string; problem: unknown; onRetry: () => void }) {
  const t = useText();
  return (
    <>
      <Breadcrumbs view="all" prefix="" isWhole />
      <PageHead title={t("palette.type_object")} />
      <ProblemNotice problem={problem} onRetry={onRetry} />
      <LeftDraft thing={`file.${id}`} />
    </>
  );
}

function Opened({ object, isGone }: { object: StoredObject; isGone: boolean }) {
  const t = useText();
  const may = useMay();
  const { team } = useIdentity();
  const [filters, setFilters] = useFilters();
  const [, navigate] = useLocation();
  const [isSharing, setSharing] = useState(filters["share"] === "1" && mayDo(object, MANAGE));
  const isOurs = object.team_id === team.id;
  // Rows that do not span the company would say that there is nothing.
  const isOpenToAll = isOurs || !may("org:read");
  const number = Number(filters["version"]) || object.version;
  const version = object.versions.find((one) => one.version === number) ?? object.versions[0];
  const hasLines = isText(object.content_type) && object.size <= MAX_TEXT_BYTES;
  const isEditable = hasLines && mayDo(object, WRITE) && (isOurs || mediaType(object.content_type) === "text/markdown");
  // Who has begun to write keeps what they wrote before them, also when they may not save it any more.
  const hasBegun = useRef(false);
  hasBegun.current = filters["edit"] === "1" && (isEditable || hasBegun.current);
  const isEditing = hasBegun.current;
  const show = (filters["show"] as Show | undefined) ?? "preview";
  if (!version) return null;
  return (
    <>
      <Breadcrumbs view="all" prefix={folderOf(object.key)} isWhole />
      <DocumentHead
        object={object}
        version={version}
        isEditable={isEditable && !isEditing}
        onEdit={() => navigate(`/files/${object.id}?edit=1`)}
        onShare={mayDo(object, MANAGE) ? () => setSharing(true) : undefined}
      />
      <UploadTray />
      {isGone && !isEditing && (
        <div role="status" className={styles.notice}>
          <span>{t("files.gone")}</span>
        </div>
      )}
      <div className={styles.split}>
        <div className={styles.main}>
          {isEditing ? (
            <DocumentEditor object={object} mayWrite={isEditable && !isGone} onClose={() => navigate(`/files/${object.id}`, { replace: true })} />
          ) : (
            <>
              <Shows id={object.id} show={show} hasText={isOpenToAll} hasDifference={hasLines && object.versions.length > 1} />
              {version.version !== object.version && show === "preview" && <OldVersion object={object} version={version} />}
              <section aria-label={t(`files.show_${show}`)}>
                {show === "text" ? (
                  <ExtractedText object={object} />
                ) : show === "compare" ? (
                  <Compare object={object} filters={filters} onChange={setFilters} />
                ) : (
                  <Preview object={object} version={version} />
                )}
              </section>
            </>
          )}
        </div>
        <aside className={styles.rail} aria-label={t("files.about")}>
          <Details object={object} isOurs={isOurs} />
          <Versions object={object} shown={version.version} hasLines={hasLines} />
          {mayDo(object, MANAGE) && <Grants object={object} onShare={() => setSharing(true)} />}
          {isOpenToAll && <Provenance object={object} />}
          {isOpenToAll && <Mentions id={object.id} />}
        </aside>
      </div>
      {isSharing && <ShareDialog object={object} onClose={() => setSharing(false)} />}
      {isOurs && may("files:write") && !isEditing && <DropZone prefix={folderOf(object.key)} />}
    </>
  );
}
