import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { useIdentity } from "../session/identity";
import { dropDraft, keyOf, parseDraft, readDraft, sweepDrafts, writeDraft, type Draft } from "./store";

const PAUSE_MS = 400;
const isEqual = (mine: string, theirs: string) => mine === theirs;
let isSwept = false;

export interface DraftOf {
  /** What was typed here before and not saved, as it was when this was opened. */
  found: Draft | null;
  /**
   * Keeps a text on the device, soon; at once when the page is left. `base` is the ETag that it was typed over.
   * What takes time to put together is given as a function, called when the writer pauses.
   */
  keep: (text: string | (() => string), base: string | null) => void;
  /** It is saved, or not wanted any more. */
  drop: () => void;
  /** Whether the device would not take it: too long, or nothing may be stored. */
  isRefused: boolean;
}

/**
 * What is typed about one thing, kept on this device until it is saved; `thing` is such as `file.obj_1`.
 * `onTaken` is called when another tab writes something else in its place: what stands here needs another name.
 * `isSameText` tells what is something else, where a text says more than what was typed.
 */
export function useDraft(thing: string, onTaken?: () => void, isSameText = isEqual): DraftOf {
  const { user } = useIdentity();
  const found = useMemo(() => {
    if (!isSwept) sweepDrafts(Date.now());
    isSwept = true;
    return readDraft(user.id, thing);
  }, [user.id, thing]);
  const [isRefused, setRefused] = useState(false);
  const isLeft = useRef(false);
  /** What is not saved here, whether it was written yet or not. */
  const kept = useRef<(() => Draft) | null>(null);
  const waiting = useRef<{ draft: () => Draft; timer: ReturnType<typeof setTimeout> } | null>(null);
  const taken = useRef(onTaken);
  taken.current = onTaken;
  const same = useRef(isSameText);
  same.current = isSameText;

  const write = useCallback(() => {
    if (!waiting.current) return;
    const { draft, timer } = waiting.current;
    clearTimeout(timer);
    waiting.current = null;
    setRefused(!writeDraft(user.id, thing, draft()));
  }, [user.id, thing]);
  const keep = useCallback(
    (text: string | (() => string), base: string | null) => {
      const draft = () => ({ text: typeof text === "string" ? text : text(), base, at: Date.now() });
      kept.current = draft;
      if (waiting.current) clearTimeout(waiting.current.timer);
      waiting.current = { draft, timer: setTimeout(write, PAUSE_MS) };
      // Whoever opens it next is to find it.
      if (isLeft.current) write();
    },
    [write],
  );
  const drop = useCallback(() => {
    if (waiting.current) clearTimeout(waiting.current.timer);
    waiting.current = null;
    kept.current = null;
    setRefused(false);
    dropDraft(user.id, thing);
  }, [user.id, thing]);

  useEffect(() => {
    const onStorage = ({ key, newValue }: StorageEvent) => {
      if (key !== keyOf(user.id, thing) || !kept.current) return;
      const own = kept.current();
      // Saved or let go in another tab: what stands here is not.
      if (newValue === null) return void writeDraft(user.id, thing, own);
      const theirs = parseDraft(newValue)?.text;
      if (!taken.current || own.text === found?.text || (theirs !== undefined && same.current(own.text, theirs))) return;
      if (waiting.current) clearTimeout(waiting.current.timer);
      waiting.current = null;
      taken.current();
    };
    isLeft.current = false;
    window.addEventListener("storage", onStorage);
    window.addEventListener("pagehide", write);
    document.addEventListener("visibilitychange", write);
    return () => {
      isLeft.current = true;
      window.removeEventListener("storage", onStorage);
      window.removeEventListener("pagehide", write);
      document.removeEventListener("visibilitychange", write);
      write();
    };
  }, [write, user.id, thing, found]);
  return useMemo(() => ({ found, keep, drop, isRefused }), [found, keep, drop, isRefused]);
}
