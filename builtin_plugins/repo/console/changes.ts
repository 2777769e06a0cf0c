/** Changes of several objects at once: each is judged alone, and what was refused is put back. */

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { dropObjects, keepObject, type StoredObject, type Visibility } from "./objects";

const AT_ONCE = 4;

/** What was left as it was, a file or a whole folder, and why. */
export interface Failed {
  id: string;
  name: string;
  problem: unknown;
  object?: StoredObject;
}

/** Does something with each, a few at once; returns what failed. */
export async function each(objects: readonly StoredObject[], act: (object: StoredObject) => Promise<unknown>): Promise<Failed[]> {
  const waiting = [...objects];
  const failed: Failed[] = [];
  const work = async () => {
    for (let object = waiting.shift(); object; object = waiting.shift()) {
      try {
        await act(object);
      } catch (problem) {
        failed.push({ id: object.id, name: object.filename, object, problem });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

const pathOf = ({ id }: StoredObject) => ({ path: { id } });

export const restore = (object: StoredObject) =>
  dataOf(api.POST("/api/repo-obj/{id}/restore", { params: pathOf(object), body: {} }));

const idsOf = (objects: readonly StoredObject[]) => new Set(objects.map(({ id }) => id));
const without = (objects: readonly StoredObject[], failed: readonly Failed[]) => {
  const ids = new Set(failed.map(({ id }) => id));
  return objects.filter(({ id }) => !ids.has(id));
};

export interface Changes {
  /** Hides objects until they are restored; the way back is offered at once. */
  remove: (objects: readonly StoredObject[]) => Promise<Failed[]>;
  /** Brings back what was deleted. */
  bringBack: (objects: readonly StoredObject[]) => Promise<Failed[]>;
  /** Deletes for good. */
  destroy: (objects: readonly StoredObject[]) => Promise<Failed[]>;
  show: (objects: readonly StoredObject[], visibility: Visibility) => Promise<Failed[]>;
}

export function useChanges(): Changes {
  const t = useText();
  const client = useQueryClient();
  const announce = useAnnounce();

  const bringBack = useCallback(
    async (objects: readonly StoredObject[]) => {
      const failed = await each(objects, async (object) => {
        const back = await restore(object);
        dropObjects(client, new Set([object.id]));
        keepObject(client, back);
      });
      void client.invalidateQueries({ queryKey: ["files", "deleted"] });
      return failed;
    },
    [client],
  );
  const remove = useCallback(
    async (objects: readonly StoredObject[]) => {
      dropObjects(client, idsOf(objects));
      const failed = await each(objects, (object) =>
        api.DELETE("/api/repo-obj/{id}", { params: { ...pathOf(object), query: { keep: "1" } } }),
      );
      const gone = without(objects, failed);
      failed.forEach(({ object }) => object && keepObject(client, object));
      if (gone.length > 0) {
        announce(t("files.deleted", { count: gone.length, name: gone[0]?.filename ?? "" }), () => void bringBack(gone));
      }
      void client.invalidateQueries({ queryKey: ["files", "deleted"] });
      return failed;
    },
    [client, announce, t, bringBack],
  );
  const destroy = useCallback(
    async (objects: readonly StoredObject[]) => {
      const failed = await each(objects, (object) => api.DELETE("/api/repo-obj/{id}", { params: pathOf(object) }));
      const gone = without(objects, failed);
      dropObjects(client, idsOf(gone));
      if (gone.length > 0) announce(t("files.deleted_for_good", { count: gone.length, name: gone[0]?.filename ?? "" }));
      return failed;
    },
    [client, announce, t],
  );
  const show = useCallback(
    async (objects: readonly StoredObject[], visibility: Visibility) => {
      const set = (object: StoredObject, to: Visibility) =>
        dataOf(api.POST("/api/repo-obj/{id}/visibility", { params: pathOf(object), body: { visibility: to } }));
      objects.forEach((object) => keepObject(client, { ...object, visibility }));
      const failed = await each(objects, async (object) => keepObject(client, await set(object, visibility)));
      failed.forEach(({ object }) => object && keepObject(client, object));
      const changed = without(objects, failed);
      if (changed.length > 0) {
        announce(t("files.visibility_changed", { count: changed.length, visibility: t(`visibility.${visibility}`) }), () =>
          void each(changed, async (object) => keepObject(client, await set(object, object.visibility))),
        );
      }
      return failed;
    },
    [client, announce, t],
  );
  return useMemo(() => ({ remove, bringBack, destroy, show }), [remove, bringBack, destroy, show]);
}
