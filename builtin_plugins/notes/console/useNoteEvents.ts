import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { follow } from "@guildhall/console/api/events";

const PATH = "/api/notes/events?wait_seconds=240";
/** When the server would not have one more. */
const REFUSED_MS = 60_000;

/** Looks again at notes that changed, as long as somebody sees the page: a browser has few connections for all its tabs. */
export function useNoteEvents(): void {
  const client = useQueryClient();
  useEffect(() => {
    let open: AbortController | null = null;
    const refetch = () => {
      void client.invalidateQueries({ queryKey: ["notes"] });
      void client.invalidateQueries({ queryKey: ["note"] });
    };
    const listen = async (signal: AbortSignal) => {
      let isFirst = true;
      while (!signal.aborted) {
        try {
          for await (const { event } of follow(PATH, "end", signal)) {
            if (event === "changed" || (event === "ready" && !isFirst)) refetch();
            isFirst = false;
          }
        } catch {
          await new Promise((resolve) => setTimeout(resolve, REFUSED_MS));
        }
      }
    };
    const onSeen = () => {
      if (document.visibilityState === "hidden") {
        open?.abort();
        open = null;
      } else if (!open) {
        open = new AbortController();
        void listen(open.signal);
      }
    };
    onSeen();
    document.addEventListener("visibilitychange", onSeen);
    return () => {
      document.removeEventListener("visibilitychange", onSeen);
      open?.abort();
    };
  }, [client]);
}
