import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState } from "react";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { each, useChanges, type Failed } from "./changes";
import type { Point } from "./commands";
import { download } from "./download";
import { changeLooks } from "./looks";
import { cut } from "./moves/cut";
import { titleOf } from "./moves/places";
import { useMoves } from "./moves/useMoves";
import { loadAllBelow, may, REMOVE, type StoredObject, type View } from "./objects";
import type { Selection } from "./selection";
import type { Entry } from "./tree";
import { useIsMovable, type MenuCommands } from "./useEntryMenu";
import { addressIn } from "./Views";

/** What stands over the list: a dialog, a menu, a look at a file, or the details where there is no room beside it. */
export type Over =
  | { kind: "menu"; entries: readonly Entry[]; at: Point }
  | { kind: "rename"; entry: Entry }
  | { kind: "move"; entries: readonly Entry[] }
  | { kind: "look"; entry: Entry }
  | { kind: "folder" }
  | { kind: "document" }
  | { kind: "details" };

const HAS_ROOM = "(min-width: 1100px)";

/** All that is done in the browser of files, and what of it was refused. */
export function useBrowserCommands(view: View, selection: Selection) {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const changes = useChanges();
  const moves = useMoves();
  const [over, setOver] = useState<Over | null>(null);
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const [isPending, setPending] = useState(false);
  const isMovableNow = useIsMovable(view);
  const isMovable = useRef(isMovableNow);
  isMovable.current = isMovableNow;

  const tell = useCallback(
    async (work: Promise<Failed[]>) => {
      setPending(true);
      setFailed([]);
      selection.clear();
      try {
        setFailed(await work);
      } finally {
        setPending(false);
      }
    },
    [selection],
  );
  const act = useCallback(
    (how: (objects: readonly StoredObject[]) => Promise<Failed[]>, on: readonly StoredObject[]) => tell(how(on)),
    [tell],
  );

  const commands = useMemo<MenuCommands>(() => {
    /** Deletes files, and all that lies in folders; each is judged alone. */
    async function remove(entries: readonly Entry[]): Promise<Failed[]> {
      const objects: StoredObject[] = [];
      const refused: Failed[] = [];
      for (const entry of entries) {
        if (entry.kind === "object") objects.push(entry.object);
        else {
          try {
            objects.push(...(await loadAllBelow(entry.prefix)).filter((object) => may(object, REMOVE)));
          } catch (problem) {
            refused.push({ id: entry.id, name: titleOf(entry), problem });
          }
        }
      }
      const failures = [...refused, ...(await changes.remove(objects))];
      if (entries.some(({ kind }) => kind === "folder")) await client.invalidateQueries({ queryKey: ["files"] });
      return failures;
    }
    return {
      open: (entry) => view !== "deleted" && navigate(entry.kind === "folder" ? addressIn(view, entry.prefix) : `/files/${entry.object.id}`),
      look: (entry) => entry.kind === "object" && view !== "deleted" && setOver({ kind: "look", entry }),
      rename: (entry) => isMovable.current(entry) && setOver({ kind: "rename", entry }),
      remove: (entries) => {
        const some = entries.filter((entry) => (entry.kind === "object" ? may(entry.object, REMOVE) : isMovable.current(entry)));
        if (view !== "deleted" && some.length > 0) void tell(remove(some));
      },
      cut: (entries) => {
        const some = entries.filter(isMovable.current);
        if (some.length === 0) return;
        cut.put(some);
        announce(t("files.cut_done", { count: some.length, name: some[0] ? titleOf(some[0]) : "" }));
      },
      move: (entries, prefix) => {
        const some = entries.filter(isMovable.current);
        // A folder's job may take long: whoever waits for it goes on with other things.
        if (some.length > 0) void moves.into(some, prefix).then(setFailed);
        selection.clear();
      },
      menu: (entries, at) => setOver({ kind: "menu", entries, at }),
      download: (objects) => void tell(each(objects, (object) => download(object))),
      askWhere: (entries) => setOver({ kind: "move", entries }),
      details: () => (matchMedia(HAS_ROOM).matches ? changeLooks({ details: true }) : setOver({ kind: "details" })),
      restore: (objects) => void act(changes.bringBack, objects),
    };
  }, [client, navigate, changes, moves, announce, t, tell, act, view, selection]);
  return { commands, moves, act, isPending, failed, setFailed, over, setOver };
}
