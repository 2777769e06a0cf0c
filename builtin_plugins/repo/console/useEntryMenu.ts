import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { useAsk } from "@guildhall/console/ui/ask";
import { commandKey } from "@guildhall/console/ui/platform";
import type { Commands } from "./commands";
import type { MenuAction } from "./EntryMenu";
import { MANAGE, may as mayDo, REMOVE, WRITE, type StoredObject, type View } from "./objects";
import type { Entry } from "./tree";

export interface MenuCommands extends Commands {
  download: (objects: readonly StoredObject[]) => void;
  askWhere: (entries: readonly Entry[]) => void;
  details: () => void;
  restore: (objects: readonly StoredObject[]) => void;
}

/** Which entries may be given another place or name: one's own team's, where one may write. */
export function useIsMovable(view: View): (entry: Entry) => boolean {
  const { team } = useIdentity();
  const may = useMay();
  const mayWrite = view === "all" && may(WRITE);
  return (entry) => mayWrite && (entry.kind === "folder" || (entry.object.team_id === team.id && mayDo(entry.object, WRITE)));
}

/** What the menu of some entries offers: nothing that would be refused. */
export function useEntryMenu(view: View, commands: MenuCommands): (entries: readonly Entry[]) => MenuAction[] {
  const t = useText();
  const may = useMay();
  const isMovable = useIsMovable(view);
  const [, navigate] = useLocation();
  const ask = useAsk();
  return (entries) => {
    const [first] = entries;
    const objects = entries.flatMap((entry) => (entry.kind === "object" ? [entry.object] : []));
    const one = entries.length === 1 && first ? first : null;
    const file = one?.kind === "object" ? one.object : null;
    const movable = entries.filter(isMovable);
    const isRemovable = (entry: Entry) => (entry.kind === "folder" ? view === "all" && may(WRITE) : mayDo(entry.object, REMOVE));
    const removable = entries.filter(isRemovable);
    if (view === "deleted") return [{ id: "restore", name: t("files.restore"), onAction: () => commands.restore(objects) }];
    const offers: (MenuAction | false | null | undefined)[] = [
      one && { id: "open", name: t("action.open"), keys: "Enter", onAction: () => commands.open(one) },
      file && { id: "look", name: t("files.show_preview"), keys: t("files.key_space"), onAction: () => commands.look(one as Entry) },
      objects.length > 0 && { id: "download", name: t("action.download"), onAction: () => commands.download(objects) },
      one && ask && { id: "ask", name: t("files.ask"), onAction: () => ask(file ? { type: "object", at: file.id } : { type: "folder", at: (one as { prefix: string }).prefix }) },
      file && mayDo(file, MANAGE) && { id: "share", name: t("action.share"), onAction: () => navigate(`/files/${file.id}?share=1`) },
      one && isMovable(one) && { id: "rename", name: t("action.rename"), keys: "F2", onAction: () => commands.rename(one) },
      movable.length > 0 && { id: "move", name: t("files.move"), onAction: () => commands.askWhere(movable) },
      movable.length > 0 && { id: "cut", name: t("files.cut"), keys: `${commandKey} X`, onAction: () => commands.cut(movable) },
      { id: "details", name: t("files.details"), onAction: commands.details },
      removable.length > 0 && { id: "delete", name: t("action.delete"), keys: t("files.key_delete"), isDangerous: true, onAction: () => commands.remove(removable) },
    ];
    return offers.filter((offer) => Boolean(offer)) as MenuAction[];
  };
}
