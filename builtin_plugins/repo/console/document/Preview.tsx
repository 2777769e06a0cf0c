import { useMemo } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Editor } from "@guildhall/console/ui/Editor";
import { EmptyState } from "@guildhall/console/ui/EmptyState";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { download } from "../download";
import type { StoredObject, Version } from "../objects";
import { previewKind, type PreviewKind } from "@guildhall/console/ui/sizes";
import { useVersionImage, useVersionText } from "./content";
import { parseTable } from "./csv";
import styles from "./Document.module.css";

const MAX_PLAIN_CHARACTERS = 200_000;
const MAX_ROWS = 500;

/** A version as it can be shown here; what cannot is offered as a download. */
export function Preview({ object, version }: { object: StoredObject; version: Version }) {
  const t = useText();
  const kind = previewKind(version.content_type, version.size);
  if (kind === "image") return <Picture object={object} version={version} />;
  if (kind !== "none") return <TextPreview id={object.id} version={version} kind={kind} />;
  return (
    <EmptyState
      text={t("files.no_preview")}
      action={
        <Button onPress={() => void download({ ...object, size: version.size }, version.version)}>{t("action.download")}</Button>
      }
    />
  );
}

function Picture({ object, version }: { object: StoredObject; version: Version }) {
  const image = useVersionImage(object.id, version.version);
  if (image.isPending) return <SkeletonRows />;
  if (image.isLoadingError) return <ProblemNotice problem={image.error} onRetry={() => void image.refetch()} />;
  return <img src={image.data} alt={object.filename} className={styles.picture} />;
}

function TextPreview({ id, version, kind }: { id: string; version: Version; kind: PreviewKind }) {
  const t = useText();
  const text = useVersionText(id, version.version);
  if (text.isPending) return <SkeletonRows />;
  if (text.isLoadingError) return <ProblemNotice problem={text.error} onRetry={() => void text.refetch()} />;
  if (text.data.trim() === "") return <EmptyState text={t("files.empty_text")} />;
  if (kind === "markdown" && text.data.length <= MAX_PLAIN_CHARACTERS) return <Markdown text={text.data} />;
  if (kind === "table") return <TablePreview text={text.data} />;
  return <PlainText text={kind === "json" ? laidOut(text.data) : text.data} isJson={kind === "json"} />;
}

/** A text as it stands; a long one in an editor that draws only what is in view. */
export function PlainText({ text, isJson = false }: { text: string; isJson?: boolean }) {
  const t = useText();
  if (text.length > MAX_PLAIN_CHARACTERS) {
    return (
      <div className={styles.long}>
        <Editor label={t("files.show_preview")} value={text} language={isJson ? "json" : "plain"} isReadOnly />
      </div>
    );
  }
  return (
    <pre className={styles.plain} dir="auto" tabIndex={0} role="region" aria-label={t("files.show_preview")}>
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
              <tr key={at}>
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
