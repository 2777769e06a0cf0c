/** Whether what was chosen on the device can still be read: it may be changed, moved or deleted until its turn comes. */

import { Problem } from "@guildhall/console/api/problem";

export async function isReadable(file: Blob): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Why a file that was readable when it was chosen is not sent. */
export const unreadable = () => new Problem({ title: "Unreadable", status: 0, detail: "", code: "file_unreadable" });
