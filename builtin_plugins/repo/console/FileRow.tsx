import { File, FileImage, FileJson, FileSpreadsheet, FileText, Folder, Lock, Users, UserRoundPlus, type LucideIcon } from "lucide-react";
import { memo } from "react";
import { Link } from "wouter";

import { useTexts } from "@guildhall/console/i18n/texts";
import { Time } from "@guildhall/console/ui/Time";
import styles from "./FileGrid.module.css";
import type { StoredObject, View, Visibility } from "./objects";
import { useIsPicked, type Selection } from "./selection";
import { formatSize, mediaType, plainName, typeName } from "@guildhall/console/ui/sizes";
import { TextMark } from "./TextMark";
import { folderOf, type Entry } from "./tree";
import { addressIn } from "./Views";

const VISIBILITY_ICONS: Record<Visibility, LucideIcon> = { private: Lock, shared: UserRoundPlus, team: Users };

export interface FileRowProps {
  view: View;
  entry: Entry;
  index: number;
  top: number;
  isActive: boolean;
  selection: Selection;
  onTick: (object: StoredObject, isRange: boolean) => void;
  onEnter: (index: number) => void;
}

/** One folder or object; ticking one, or an upload that goes on, does not draw the others again. */
export const FileRow = memo(function FileRow({ view, entry, index, top, isActive, selection, onTick, onEnter }: FileRowProps) {
  const isPicked = useIsPicked(selection, entry.id);
  const isObject = entry.kind === "object";
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isObject ? isPicked : undefined}
      data-index={index}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => onEnter(index)}
    >
      {isObject ? (
        <ObjectCells view={view} object={entry.object} isPicked={isPicked} isActive={isActive} onTick={onTick} />
      ) : (
        <FolderCells view={view} prefix={entry.prefix} name={entry.name} isActive={isActive} />
      )}
    </div>
  );
});

interface ObjectCellsProps {
  view: View;
  object: StoredObject;
  isPicked: boolean;
  isActive: boolean;
  onTick: (object: StoredObject, isRange: boolean) => void;
}

function ObjectCells({ view, object, isPicked, isActive, onTick }: ObjectCellsProps) {
  const { t, locale } = useTexts();
  const Icon = iconOf(object.content_type);
  const Seen = VISIBILITY_ICONS[object.visibility];
  const isDeleted = view === "deleted";
  // Of what was deleted the marker is the newest, and has no size of its own.
  const size = isDeleted ? (object.versions[0]?.size ?? 0) : object.size;
  const tabIndex = isActive ? 0 : -1;
  return (
    <>
      <div role="gridcell" className={styles.tick}>
        <input
          type="checkbox"
          tabIndex={tabIndex}
          aria-label={t("files.select", { name: plainName(object.filename) })}
          checked={isPicked}
          onChange={(event) => onTick(object, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
        />
      </div>
      <div role="gridcell" className={styles.name}>
        <Icon size={16} aria-hidden="true" />
        {isDeleted ? (
          <span className={styles.link} dir="auto" title={object.key}>
            {plainName(object.filename)}
          </span>
        ) : (
          <Link href={`/files/${object.id}`} className={styles.link ?? ""} dir="auto" title={object.filename} tabIndex={tabIndex}>
            {plainName(object.filename)}
          </Link>
        )}
        {(isDeleted || view === "shared") && folderOf(object.key) && (
          <span className={styles.folderName} dir="auto">
            {plainName(folderOf(object.key))}
          </span>
        )}
      </div>
      <div role="gridcell" className={styles.figure}>
        {formatSize(size, locale)}
      </div>
      <div role="gridcell" className={styles.type} title={object.content_type}>
        {typeName(object.content_type, object.filename)}
      </div>
      <div role="gridcell" className={styles.text}>
        {!isDeleted && <TextMark status={object.text_status} />}
      </div>
      <div role="gridcell" className={styles.owner} dir="auto" title={object.owner.name}>
        {object.owner.name}
      </div>
      <div role="gridcell" className={styles.seen} title={t(`visibility.${object.visibility}`)}>
        <Seen size={14} aria-hidden="true" />
        {t(`files.seen_${object.visibility}`)}
      </div>
      <div role="gridcell" className={styles.time}>
        <Time at={object.updated_at} />
      </div>
    </>
  );
}

function FolderCells({ view, prefix, name, isActive }: { view: View; prefix: string; name: string; isActive: boolean }) {
  return (
    <>
      <div role="gridcell" className={styles.tick} />
      <div role="gridcell" className={`${styles.name} ${styles.folder}`}>
        <Folder size={16} aria-hidden="true" />
        <Link
          href={addressIn(view, prefix)}
          className={styles.link ?? ""}
          dir="auto"
          title={name}
          tabIndex={isActive ? 0 : -1}
          onClick={() => window.scrollTo(0, 0)}
        >
          {plainName(name) || "/"}
        </Link>
      </div>
      <div role="gridcell" className={styles.figure} />
      <div role="gridcell" className={styles.type} />
      <div role="gridcell" className={styles.text} />
      <div role="gridcell" className={styles.owner} />
      <div role="gridcell" className={styles.seen} />
      <div role="gridcell" className={styles.time} />
    </>
  );
}

function iconOf(contentType: string): LucideIcon {
  const type = mediaType(contentType);
  if (type.startsWith("image/")) return FileImage;
  if (type === "application/json") return FileJson;
  if (type === "text/csv" || type.includes("spreadsheet")) return FileSpreadsheet;
  if (type.startsWith("text/") || type === "application/pdf" || type.includes("document")) return FileText;
  return File;
}
