/** What the plugins of this build bring to who is not signed in. */

import type { EntryPages, EntryParts } from "@guildhall/console/screens/entry";

const built = import.meta.glob<{ default: EntryParts }>("../../builtin_plugins/*/console/entry.tsx", { eager: true });

export const entryParts = Object.values(built).map((module) => module.default);
export const entryPages = entryParts.find(({ pages }) => pages)?.pages as EntryPages;
