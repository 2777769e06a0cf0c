import { useEffect, useState, useSyncExternalStore } from "react";

import { OpenConversation, type Shown } from "./openConversation";

const NONE: Shown = { head: null, turns: [], earlier: null, problem: null };
const never = () => () => undefined;
const nothing = () => NONE;

/** The conversation of this id, open as long as it is shown. */
export function useOpenConversation(id: string | null): { open: OpenConversation | null; shown: Shown } {
  const [open, setOpen] = useState<OpenConversation | null>(null);
  useEffect(() => {
    const opened = id === null ? null : new OpenConversation(id);
    setOpen(opened);
    return () => opened?.close();
  }, [id]);
  const current = open?.id === id ? open : null;
  const shown = useSyncExternalStore(current?.subscribe ?? never, current?.read ?? nothing);
  return { open: current, shown };
}
