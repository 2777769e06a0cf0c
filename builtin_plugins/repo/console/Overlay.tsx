import { useQueryClient } from "@tanstack/react-query";
import type { Dispatch, SetStateAction } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { Modal } from "@guildhall/console/ui/Modal";
import { EntryMenu } from "./EntryMenu";
import { MoveDialog } from "./moves/MoveDialog";
import { NameDialog } from "./moves/NameDialog";
import { makeFolder } from "./moves/newFolder";
import { nameOf, placeOf, titleOf } from "./moves/places";
import type { Moves } from "./moves/useMoves";
import { NewDocument } from "./NewDocument";
import { keepObject, type View } from "./objects";
import { QuickLook } from "./QuickLook";
import type { Selection } from "./selection";
import { About } from "./SidePanel";
import type { Entry } from "./tree";
import type { Over } from "./useBrowserCommands";
import { useEntryMenu, type MenuCommands } from "./useEntryMenu";

export interface OverlayProps {
  over: Over;
  view: View;
  prefix: string;
  entries: readonly Entry[];
  selection: Selection;
  active: Entry | null;
  commands: MenuCommands;
  moves: Moves;
  onOver: Dispatch<SetStateAction<Over | null>>;
  onMade: (id: string) => void;
}

/** What stands over the list of files: one thing at a time. */
export default function Overlay(props: OverlayProps) {
  const { over, view, prefix, entries, selection, active, commands, moves, onOver, onMade } = props;
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const actionsOf = useEntryMenu(view, commands);
  // What an action of the menu opens stands in its place by the time that the menu closes.
  const close = () => onOver((now) => (now === over ? null : now));
  async function make(name: string) {
    keepObject(client, await makeFolder(`${prefix}${name}/`));
    announce(t("files.folder_made", { name }));
  }
  switch (over.kind) {
    case "menu": {
      const [first] = over.entries;
      const label = over.entries.length === 1 && first ? titleOf(first) : t("files.selected", { count: over.entries.length });
      return <EntryMenu key={`${over.at.x} ${over.at.y}`} at={over.at} label={label} actions={actionsOf(over.entries)} onClose={close} />;
    }
    case "rename": {
      const { entry } = over;
      return (
        <NameDialog
          title={t("files.rename_one", { name: titleOf(entry) })}
          action={t("action.rename")}
          name={nameOf(entry)}
          onName={(name) => moves.rename(entry, placeOf(entry), name)}
          onClose={close}
        />
      );
    }
    case "move":
      return <MoveDialog entries={over.entries} start={prefix} onMove={(to) => commands.move(over.entries, to)} onClose={close} />;
    case "look":
      return over.entry.kind === "object" ? (
        <QuickLook entry={over.entry} entries={entries} onChange={(entry) => onOver({ kind: "look", entry })} onClose={close} />
      ) : null;
    case "folder":
      return <NameDialog title={t("files.new_folder")} action={t("files.make_folder")} onName={make} onClose={close} />;
    case "document":
      return <NewDocument onClose={close} onMade={onMade} />;
    case "details":
      return (
        <Modal title={t("files.details")} isOpen onClose={close}>
          <About view={view} selection={selection} active={active} />
        </Modal>
      );
  }
}
