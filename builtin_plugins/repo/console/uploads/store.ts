/** The uploads of this tab: they go on while one looks at something else. */

import { useCallback, useSyncExternalStore } from "react";

import { sessions } from "@guildhall/console/session/store";
import { UploadQueue, type Summary, type Upload } from "./queue";
import { send } from "./send";

export const uploads = new UploadQueue(send);

// What somebody sends is not sent on by whoever signs in after them, nor into the team that they go to.
let sender = sessions.generation;
sessions.subscribe((session) => {
  if (session && sessions.generation === sender) return;
  sender = sessions.generation;
  uploads.cancelAll();
  if (!session) uploads.dismiss();
});

window.addEventListener("beforeunload", (event) => {
  if (uploads.total().open > 0) event.preventDefault();
});

export const useUploadIds = (): readonly number[] => useSyncExternalStore(uploads.subscribe, uploads.list);
export const useUploadSummary = (): Summary => useSyncExternalStore(uploads.subscribe, uploads.total);

/** One upload; whoever shows it is drawn again for this one alone. */
export function useUpload(id: number): Upload | undefined {
  return useSyncExternalStore(
    uploads.subscribe,
    useCallback(() => uploads.get(id), [id]),
  );
}
