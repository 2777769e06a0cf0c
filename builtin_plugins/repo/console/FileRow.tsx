import { Lock, Users, UserRoundPlus, type LucideIcon } from "lucide-react";
import { memo } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { formatSize, typeName } from "@guildhall/console/ui/sizes";
import { Time } from "@guildhall/console/ui/Time";
import { EntryLink, MenuButton, Tick, useEntryHandlers, type EntryProps } from "./EntryParts";
import { EntryIcon } from "./FileIcon";
import styles from "./FileGrid.module.css";
import type { StoredObject, View, Visibility } from "./objects";
import { TextMark } from "./TextMark";

const VISIBILITY_ICONS: Record<Visibility, LucideIcon> = { private: Lock, shared: UserRoundPlus, team: Users };

/** One folder or object; selecting one, or an upload that goes on, does not draw the others again. */
export const FileRow = memo(function FileRow(props: EntryProps & { top: number }) {
  const { view, entry, index, top, isActive, selection, onEnter } = props;
  const { isPicked, handlers } = useEntryHandlers(props);
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isPicked}
      data-index={index}
      className={styles.row}
      style={{ transform: `translateY(${top}px)` }}
      onFocus={() => onEnter(index)}
      {...handlers}
    >
      <div role="gridcell" className={styles.tick}>
        {(entry.kind === "object" || view === "all") && <Tick {...props} isPicked={isPicked} />}
      </div>
      <div role="gridcell" className={`${styles.name} ${entry.kind === "folder" ? styles.folder : ""}`}>
        <EntryIcon entry={entry} />
        <EntryLink view={view} entry={entry} isActive={isActive} />
      </div>
      {entry.kind === "object" ? <Cells view={view} object={entry.object} /> : NO_CELLS.map((name) => <div key={name} role="gridcell" className={styles[name]} />)}
      <div role="gridcell" className={styles.more}>
        <MenuButton entry={entry} isActive={isActive} selection={selection} onMenu={props.commands.menu} />
      </div>
    </div>
  );
});

const NO_CELLS = ["figure", "type", "text", "owner", "seen", "time"] as const;

function Cells({ view, object }: { view: View; object: StoredObject }) {
  const { t, locale } = useTexts();
  const Seen = VISIBILITY_ICONS[object.visibility];
  const isDeleted = view === "deleted";
  // Of what was deleted the marker is the newest, and has no size of its own.
  const size = isDeleted ? (object.versions[0]?.size ?? 0) : object.size;
  return (
    <>
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
