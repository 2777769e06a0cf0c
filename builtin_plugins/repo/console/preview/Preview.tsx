import { Suspense, useMemo, useRef, type ComponentType } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Editor } from "@guildhall/console/ui/Editor";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { useGoTo, usePlace, type Place } from "@guildhall/console/ui/place";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { download } from "../download";
import type { StoredObject, Version } from "../objects";
import { useThumbnail } from "../thumbnails";
import { useVersionImage, useVersionText } from "./content";
import { parseTable } from "./csv";
import { kindOf, type PreviewKind } from "./kinds";
import styles from "./Preview.module.css";

const MAX_PLAIN_CHARACTERS = 200_000;
const MAX_ROWS = 500;
/** Longer texts are read part by part. */
const MAX_WHOLE_TEXT_BYTES = 512 * 1024;
const MAX_IMAGE_BYTES = 16_000_000;
/** What has to be read whole to be shown. */
const MAX_OFFICE_BYTES = 32_000_000;

/** What every way to show a file is given. */
export interface PreviewProps {
  object: StoredObject;
  version: Version;
}

// Each is loaded when the first file of its kind is looked at.
const LATER: Partial<Record<PreviewKind, ComponentType<PreviewProps>>> = {
  pdf: lazyPart(() => import("./PdfView")),
  audio: lazyPart(() => import("./MediaView")),
  video: lazyPart(() => import("./MediaView")),
  word: lazyPart(() => import("./office/WordView")),
  sheet: lazyPart(() => import("./office/SheetView")),
  slides: lazyPart(() => import("./office/SlidesView")),
};
const LongText = lazyPart(() => import("./LongText"));
const HtmlView = lazyPart(() => import("./HtmlView"));
const CodeView = lazyPart(() => import("./CodeView"));
const OFFICE: ReadonlySet<PreviewKind> = new Set(["word", "sheet", "slides"]);

/** A version as it can be shown here; what cannot is offered as a download. */
export function Preview(props: PreviewProps) {
  const place = usePlace();
  const root = useRef<HTMLDivElement>(null);
  useGoTo(root, place);
  return (
    <div ref={root}>
      <Shown {...props} place={place} />
    </div>
  );
}

function Shown({ object, version, place }: PreviewProps & { place: Place | null }) {
  const kind = kindOf(version.content_type, object.filename);
  if (kind === "image") return <Picture object={object} version={version} />;
  if (kind === "none" || (OFFICE.has(kind) && version.size > MAX_OFFICE_BYTES)) return <NoPreview object={object} version={version} />;
  const Later = LATER[kind];
  return (
    <Suspense fallback={<SkeletonRows />}>
      {Later ? (
        <Later object={object} version={version} />
      ) : version.size > MAX_WHOLE_TEXT_BYTES ? (
        <LongText object={object} version={version} />
      ) : (
        <TextPreview object={object} version={version} kind={kind} line={place?.heading ? undefined : place?.line} />
      )}
    </Suspense>
  );
}

/** Says that a file cannot be shown, and why where that is known, and offers it as it is. */
export function NoPreview({ object, version, text }: PreviewProps & { text?: string }) {
  const t = useText();
  return (
    <EmptyState
      text={text ?? t("files.no_preview")}
      action={<Button onPress={() => void download({ ...object, size: version.size }, version.version)}>{t("action.download")}</Button>}
    />
  );
}

function Picture({ object, version }: PreviewProps) {
  const isSmall = version.size <= MAX_IMAGE_BYTES;
  const whole = useVersionImage(object.id, version.version, isSmall);
  // Of a large one the server draws a smaller one, of the newest version.
  const drawn = useThumbnail(object, 1024, !isSmall && version.version === object.version);
  const image = isSmall ? whole : drawn;
  if (image.isLoading) return <SkeletonRows />;
  if (image.isLoadingError) return <ProblemNotice problem={image.error} onRetry={() => void image.refetch()} />;
  if (!image.data) return <NoPreview object={object} version={version} />;
  return <img src={image.data} alt={object.filename} className={styles.picture} />;
}

function TextPreview({ object, version, kind, line }: PreviewProps & { kind: PreviewKind; line: number | undefined }) {
  const t = useText();
  const text = useVersionText(object.id, version.version);
  if (text.isPending) return <SkeletonRows />;
  if (text.isLoadingError) return <ProblemNotice problem={text.error} onRetry={() => void text.refetch()} />;
  if (text.data.trim() === "") return <EmptyState text={t("files.empty_text")} />;
  if (kind === "markdown" && line === undefined && text.data.length <= MAX_PLAIN_CHARACTERS) return <Markdown text={text.data} />;
  if (kind === "table") return <TablePreview text={text.data} />;
  if (kind === "html") return <HtmlView html={text.data} title={object.filename} />;
  if (kind === "code" || kind === "json") return <CodeView text={kind === "json" && line === undefined ? laidOut(text.data) : text.data} filename={object.filename} />;
  return <PlainText text={text.data} line={line} />;
}

/** A text as it stands; a long one in an editor that draws only what is in view. */
export function PlainText({ text, line }: { text: string; line?: number | undefined }) {
  const t = useText();
  const goTo = useMemo(() => (line === undefined ? null : { line }), [line]);
  if (text.length > MAX_PLAIN_CHARACTERS) {
    return (
      <div className={styles.long}>
        <Editor label={t("files.show_preview")} value={text} language="plain" isReadOnly goTo={goTo} />
      </div>
    );
  }
  return (
    <pre data-lines="" className={styles.plain} dir="auto" tabIndex={0} role="region" aria-label={t("files.show_preview")}>
      {text}
    </pre>
  );
}

function laidOut(text: string): string {
  if (text.length > MAX_PLAIN_CHARACTERS) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function TablePreview({ text }: { text: string }) {
  const t = useText();
  const { rows, isCut } = useMemo(() => parseTable(text, MAX_ROWS), [text]);
  const [head = [], ...body] = rows;
  return (
    <>
      <div className={styles.tableScroll} tabIndex={0} role="region" aria-label={t("files.show_preview")}>
        <table className={styles.table}>
          <thead>
            <tr>
              {head.map((cell, index) => (
                <th key={index} scope="col" dir="auto">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {body.map((row, at) => (
              <tr key={at} data-line={at + 2}>
                {row.map((cell, index) => (
                  <td key={index} dir="auto">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {isCut && <p className={styles.quiet}>{t("files.table_cut", { count: MAX_ROWS })}</p>}
    </>
  );
}
