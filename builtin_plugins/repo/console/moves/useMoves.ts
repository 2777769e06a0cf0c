/** Other places and names for files and folders. What was refused stays where it is, and is said. */

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { each, type Failed } from "../changes";
import { dropObjects, keepObject, type StoredObject } from "../objects";
import { crumbsOf, folderOf, type Entry } from "../tree";
import { askClash } from "./clashes";
import { moveFolder } from "./folderMoves";
import { dropMarker, freePrefix, isFree, noteAll, unmerge } from "./merging";
import { fitsInto, keyIn, nameOf, titleOf } from "./places";

type FolderEntry = Extract<Entry, { kind: "folder" }>;
type FolderWay = { entry: FolderEntry; key: string };
type Way = { entry: Entry; key: string };

export interface Moves {
  /** Puts entries into a folder; returns what stayed where it was. */
  into: (entries: readonly Entry[], folder: string) => Promise<Failed[]>;
  /** Gives one entry another name where it lies; throws where it is refused. */
  rename: (entry: Entry, folder: string, name: string) => Promise<void>;
}

const moveObject = (object: StoredObject, key: string): Promise<StoredObject> =>
  dataOf(api.POST("/api/repo-obj/{id}/move", { params: { path: { id: object.id } }, body: { key } }));

export function useMoves(): Moves {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();

  /** Moves files one by one: each is gone from its list at once, and back in it where it was refused. */
  const moveObjects = useCallback(
    async (ways: readonly { object: StoredObject; key: string }[]) => {
      const keys = new Map(ways.map(({ object, key }) => [object.id, key]));
      dropObjects(client, new Set(keys.keys()));
      const failed = await each(ways.map(({ object }) => object), async (object) => {
        keepObject(client, await moveObject(object, keys.get(object.id) ?? object.key));
      });
      failed.forEach(({ object }) => object && keepObject(client, object));
      // Other lists are looked at again when one comes to them: a folder may be new there, or empty now.
      void client.invalidateQueries({ queryKey: ["files"], refetchType: "none" });
      return failed;
    },
    [client],
  );

  /** Moves a folder to where nothing is, and waits for the job. */
  const moveWhole = useCallback(
    async ({ entry, key }: FolderWay) => {
      const title = titleOf(entry);
      const done = await moveFolder(entry.prefix, key);
      await client.invalidateQueries({ queryKey: ["files"] });
      if (done.state !== "done" || done.left > 0) return;
      announce(t("files.folder_moved", { name: title, count: done.moved }), () => {
        const isBack = moveFolder(key, entry.prefix).finally(() => client.invalidateQueries({ queryKey: ["files"] }));
        isBack.catch(() => announce(t("files.undo_refused", { name: title })));
      });
    },
    [client, announce, t],
  );

  /** Moves what a folder has into one that exists; of two files of one name each stays where it is. */
  const merge = useCallback(
    async ({ entry, key }: FolderWay, noted: StoredObject[] | null) => {
      const title = titleOf(entry);
      const { move: done, isGone } = await dropMarker(await moveFolder(entry.prefix, key));
      await client.invalidateQueries({ queryKey: ["files"] });
      if (done.state !== "done" || (done.moved === 0 && !isGone)) return;
      const back = async (all: readonly StoredObject[]) => {
        const stay = await unmerge(all, done, isGone).catch(() => [title]);
        await client.invalidateQueries({ queryKey: ["files"] });
        if (stay[0] !== undefined) announce(t("files.undo_refused", { name: stay[0] }));
      };
      announce(t("files.folder_merged", { name: title, count: done.moved }), noted ? () => void back(noted) : undefined);
    },
    [client, announce, t],
  );

  /** Moves a folder; where one of its name is already, somebody says what is to become of it. */
  const moveFolders = useCallback(
    async ({ entry, key }: FolderWay): Promise<Failed[]> => {
      const name = titleOf(entry);
      try {
        if (await isFree(key)) await moveWhole({ entry, key });
        else {
          const noted = await noteAll(entry.prefix);
          const place = crumbsOf(folderOf(key.slice(0, -1))).at(-1)?.name || t("nav.files");
          const choice = await askClash({ name, place, isUndoable: noted !== null });
          if (choice === "merge") await merge({ entry, key }, noted);
          if (choice === "both") await moveWhole({ entry, key: await freePrefix(key) });
        }
        return [];
      } catch (problem) {
        return [{ id: entry.id, name, problem }];
      }
    },
    [moveWhole, merge, t],
  );

  const go = useCallback(
    async (ways: readonly Way[], words: (count: number, name: string) => string) => {
      const folders = ways.flatMap(({ entry, key }) => (entry.kind === "folder" ? [{ entry, key }] : []));
      const objects = ways.flatMap(({ entry, key }) => (entry.kind === "object" ? [{ object: entry.object, key }] : []));
      const failed = objects.length > 0 ? await moveObjects(objects) : [];
      const refused = new Set(failed.map(({ id }) => id));
      const moved = objects.filter(({ object }) => !refused.has(object.id));
      if (moved.length > 0) {
        const back = async () => {
          const stay = await moveObjects(moved.map(({ object, key }) => ({ object: { ...object, key }, key: object.key })));
          if (stay[0]) announce(t("files.undo_refused", { name: stay[0].name }));
        };
        announce(words(moved.length, moved[0]?.object.filename ?? ""), () => void back());
      }
      return [...failed, ...(await Promise.all(folders.map(moveFolders))).flat()];
    },
    [moveObjects, moveFolders, announce, t],
  );

  const into = useCallback(
    (entries: readonly Entry[], folder: string) => {
      const ways = entries.filter((entry) => fitsInto(entry, folder)).map((entry) => ({ entry, key: keyIn(entry, folder) }));
      const place = folder.slice(0, -1).split("/").at(-1) || t("nav.files");
      return go(ways, (count, name) => t("files.moved", { count, name, folder: place }));
    },
    [go, t],
  );

  const rename = useCallback(
    async (entry: Entry, folder: string, name: string) => {
      const before = nameOf(entry);
      if (name === before) return;
      if (entry.kind === "folder") {
        const key = keyIn(entry, folder, name);
        // To put it into another folder is a move; who gives a name means no other.
        if (!(await isFree(key))) throw new Problem({ title: "Taken", status: 409, detail: "", code: "key_taken" });
        // The list says how far it is; nobody waits for it in a dialog.
        void moveFolders({ entry, key }).then((failed) => failed[0] && announce(t("files.move_failed", { from: before })));
        return;
      }
      const { object } = entry;
      const renamed = await moveObject(object, keyIn(entry, folder, name));
      const show = (one: StoredObject) => {
        dropObjects(client, new Set([one.id]));
        keepObject(client, one);
      };
      show(renamed);
      announce(t("files.renamed", { name }), () =>
        void moveObject(renamed, object.key).then(show, () => announce(t("files.undo_refused", { name }))),
      );
    },
    [client, announce, moveFolders, t],
  );
  return useMemo(() => ({ into, rename }), [into, rename]);
}
