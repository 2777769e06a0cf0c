import { memo } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { formatSize } from "@guildhall/console/ui/sizes";
import { EntryLink, MenuButton, Tick, useEntryHandlers, type EntryProps } from "./EntryParts";
import { EntryIcon } from "./FileIcon";
import styles from "./FileGrid.module.css";
import { Thumbnail } from "./Thumbnail";

/** One folder or object as a picture with its name. */
export const FileTile = memo(function FileTile(props: EntryProps) {
  const { view, entry, index, isActive, selection, onEnter } = props;
  const { locale } = useTexts();
  const { isPicked, handlers } = useEntryHandlers(props);
  return (
    <div
      role="gridcell"
      aria-selected={isPicked}
      data-index={index}
      className={`${styles.tile} ${entry.kind === "folder" ? styles.folder : ""}`}
      onFocus={() => onEnter(index)}
      {...handlers}
    >
      <div className={styles.picture}>
        {entry.kind === "object" ? <Thumbnail object={entry.object} isWanted={view !== "deleted"} /> : <EntryIcon entry={entry} size={48} />}
      </div>
      <div className={styles.caption}>
        {(entry.kind === "object" || view === "all") && <Tick {...props} isPicked={isPicked} />}
        <span className={styles.captionWords}>
          <EntryLink view={view} entry={entry} isActive={isActive} />
          {entry.kind === "object" && view !== "deleted" && <span className={styles.small}>{formatSize(entry.object.size, locale)}</span>}
        </span>
        <MenuButton entry={entry} isActive={isActive} selection={selection} onMenu={props.commands.menu} />
      </div>
    </div>
  );
});
