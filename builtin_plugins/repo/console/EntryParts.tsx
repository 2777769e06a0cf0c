import { Ellipsis } from "lucide-react";
import type { DragEvent } from "react";
import { Link } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { plainName } from "@guildhall/console/ui/sizes";
import type { Commands } from "./commands";
import styles from "./FileGrid.module.css";
import { useIsCut } from "./moves/cut";
import { beginDrag, endDrag, useDropPlace } from "./moves/dragging";
import { titleOf } from "./moves/places";
import type { View } from "./objects";
import { useIsPicked, type Selection } from "./selection";
import { folderOf, type Entry } from "./tree";
import { entriesFor } from "./useGridKeys";
import { addressIn } from "./Views";

export interface EntryProps {
  view: View;
  entry: Entry;
  index: number;
  isActive: boolean;
  isMovable: boolean;
  selection: Selection;
  commands: Commands;
  onTick: (entry: Entry, isRange: boolean) => void;
  onEnter: (index: number) => void;
}

/** What a row and a tile have in common: they are dragged, and those of folders take what is dragged. */
export function useEntryHandlers({ entry, isMovable, selection, commands }: EntryProps) {
  const isPicked = useIsPicked(selection, entry.id);
  const isCut = useIsCut(entry.id);
  const place = useDropPlace(isMovable && entry.kind === "folder" ? entry.prefix : null, commands.move);
  const handlers = {
    ...place,
    "data-cut": isCut ? "" : undefined,
    draggable: isMovable,
    onDragStart: (event: DragEvent) => beginDrag(event, entriesFor(entry, selection)),
    onDragEnd: endDrag,
  };
  return { isPicked, handlers };
}

export function Tick({ entry, isActive, isPicked, onTick }: EntryProps & { isPicked: boolean }) {
  const t = useText();
  return (
    <input
      type="checkbox"
      tabIndex={isActive ? 0 : -1}
      aria-label={t("files.select", { name: titleOf(entry) })}
      checked={isPicked}
      onChange={(event) => onTick(entry, event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
    />
  );
}

/** The name of an entry, which opens it; what was deleted cannot be opened. */
export function EntryLink({ view, entry, isActive }: { view: View; entry: Entry; isActive: boolean }) {
  const tabIndex = isActive ? 0 : -1;
  const title = titleOf(entry);
  if (entry.kind === "folder") {
    return (
      <Link
        href={addressIn(view, entry.prefix)}
        className={styles.link ?? ""}
        dir="auto"
        title={entry.name}
        tabIndex={tabIndex}
        draggable={false}
        onClick={() => window.scrollTo(0, 0)}
      >
        {title}
      </Link>
    );
  }
  const { object } = entry;
  const folder = folderOf(object.key);
  return (
    <>
      {view === "deleted" ? (
        <span className={styles.link} dir="auto" title={object.key}>
          {title}
        </span>
      ) : (
        <Link href={`/files/${object.id}`} className={styles.link ?? ""} dir="auto" title={object.filename} tabIndex={tabIndex} draggable={false}>
          {title}
        </Link>
      )}
      {(view === "deleted" || view === "shared") && folder && (
        <span className={styles.folderName} dir="auto">
          {plainName(folder)}
        </span>
      )}
    </>
  );
}

interface MenuButtonProps {
  entry: Entry;
  isActive: boolean;
  selection: Selection;
  onMenu: Commands["menu"];
}

/** What the right button of a mouse opens, for those without one. */
export function MenuButton({ entry, isActive, selection, onMenu }: MenuButtonProps) {
  const t = useText();
  return (
    <button
      type="button"
      className={styles.dots}
      tabIndex={isActive ? 0 : -1}
      aria-haspopup="menu"
      aria-label={`${t("action.more")}: ${titleOf(entry)}`}
      onClick={({ currentTarget }) => {
        const { left, bottom } = currentTarget.getBoundingClientRect();
        onMenu(entriesFor(entry, selection), { x: left, y: bottom });
      }}
    >
      <Ellipsis size={16} aria-hidden="true" />
    </button>
  );
}
