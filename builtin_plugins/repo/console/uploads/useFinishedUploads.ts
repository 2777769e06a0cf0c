import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";

import { keepObject, loadObject, objectKey, type StoredObject } from "../objects";
import { uploads } from "./store";

const FIRST_LOOK_MS = 700;
const LONGEST_WAIT_MS = 15_000;
const MAX_LOOKS = 20;

const isWaiting = ({ text_status }: StoredObject) => text_status === "pending" || text_status === "stale";

/** Puts what arrived into the lists at once, and follows it until its text is read. */
export function useFinishedUploads(): void {
  const client = useQueryClient();
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const follow = (id: string, looks: number) => {
      if (looks >= MAX_LOOKS) return;
      const timer = setTimeout(() => {
        timers.delete(timer);
        loadObject(id, false).then(
          (object) => {
            keepObject(client, object);
            if (isWaiting(object)) follow(id, looks + 1);
          },
          () => undefined, // It is gone, or the server is away: the list says so itself.
        );
      }, Math.min(LONGEST_WAIT_MS, FIRST_LOOK_MS * 1.5 ** looks));
      timers.add(timer);
    };
    const forget = uploads.onDone(({ object }) => {
      if (!object) return;
      keepObject(client, object);
      void client.invalidateQueries({ queryKey: objectKey(object.id) });
      if (isWaiting(object)) follow(object.id, 0);
    });
    return () => {
      forget();
      timers.forEach(clearTimeout);
    };
  }, [client]);
}
