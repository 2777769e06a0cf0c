import { X } from "lucide-react";
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, useState, type FocusEvent, type ReactNode } from "react";

import { isMac } from "./platform";
import { isTyping } from "./shortcuts";
import { useText } from "../i18n/texts";
import { Button } from "./Button";
import styles from "./Toasts.module.css";

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

/**
 * Says what was done, for ten seconds, with a way back where there is one.
 * What can only be undone before it is done is done by `onOver`: when the way back is gone.
 */
export type Announce = (text: string, undo?: () => void, onOver?: () => void) => void;

const SHOWN_MS = 10_000;
const AnnounceContext = createContext<Announce | null>(null);

export function ToastProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const [toasts, setToasts] = useState<Toast[]>([]);
  const { stack, remember, giveBack } = useFocusBack();
  const overs = useRef(new Map<number, () => void>());
  const drop = useCallback((id: number) => {
    const over = overs.current.get(id);
    overs.current.delete(id);
    setToasts((before) => before.filter((toast) => toast.id !== id));
    over?.();
  }, []);
  const announce = useMemo<Announce>(() => {
    let last = 0;
    return (text, undo, onOver) => {
      const id = (last += 1);
      if (onOver) overs.current.set(id, onOver);
      setToasts((before) => [...before, { id, text, ...(undo && { undo }) }]);
      // What somebody is about to press does not go away under their hands.
      const expire = () => {
        if (stack.current?.matches(":hover, :focus-within")) setTimeout(expire, SHOWN_MS);
        else drop(id);
      };
      setTimeout(expire, SHOWN_MS);
    };
  }, [drop]);
  useEffect(() => {
    const endAll = () => [...overs.current.keys()].forEach(drop);
    window.addEventListener("pagehide", endAll);
    return () => {
      window.removeEventListener("pagehide", endAll);
      endAll();
    };
  }, [drop]);
  const undoable = toasts.findLast(({ undo }) => undo);
  useUndoKey(
    undoable &&
      (() => {
        overs.current.delete(undoable.id);
        undoable.undo?.();
        drop(undoable.id);
      }),
  );
  return (
    <AnnounceContext value={announce}>
      {children}
      <div ref={stack} role="status" className={styles.stack} data-react-aria-top-layer="true" onFocus={remember}>
        {toasts.map(({ id, text, undo }) => (
          <div key={id} className={styles.toast}>
            <span>{text}</span>
            {undo && (
              <Button
                kind="quiet"
                aria-keyshortcuts={isMac ? "Meta+Z" : "Control+Z"}
                onPress={() => {
                  overs.current.delete(id);
                  undo();
                  giveBack();
                  drop(id);
                }}
              >
                {t("action.undo")}
              </Button>
            )}
            <Button
              kind="quiet"
              aria-label={t("action.close")}
              onPress={() => {
                giveBack();
                drop(id);
              }}
            >
              <X size={16} />
            </Button>
          </div>
        ))}
      </div>
    </AnnounceContext>
  );
}

/** Where the focus was before it came here: it goes back there, or to the screen where that is gone. */
function useFocusBack() {
  const stack = useRef<HTMLDivElement>(null);
  const before = useRef<HTMLElement | null>(null);
  const remember = useCallback((event: FocusEvent) => {
    const from = event.relatedTarget;
    if (!stack.current?.contains(from as Node | null)) before.current = from as HTMLElement | null;
  }, []);
  const giveBack = useCallback(() => {
    const isThere = before.current?.isConnected && before.current.checkVisibility();
    const place = isThere ? before.current : document.getElementById("content");
    place?.focus({ preventScroll: true });
  }, []);
  return { stack, remember, giveBack };
}

export function useAnnounce(): Announce {
  const announce = useContext(AnnounceContext);
  if (!announce) throw new Error("useAnnounce outside of ToastProvider");
  return announce;
}

/** Ctrl+Z and ⌘Z take the last thing back, from wherever one is: a toast is far from a list, and behind a dialog. */
function useUndoKey(undo: (() => void) | undefined): void {
  const latest = useRef(undo);
  latest.current = undo;
  useEffect(() => {
    // In a field the key is the field's, once something was typed there.
    let isTyped = false;
    const isOfField = (event: KeyboardEvent) => isTyping(event) && (isTyped || !(event.target instanceof HTMLInputElement));
    const onKey = (event: KeyboardEvent) => {
      const isUndo = (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z";
      if (!isUndo || !latest.current || isOfField(event)) return;
      event.preventDefault();
      latest.current();
    };
    const stopping = new AbortController();
    const options = { signal: stopping.signal };
    window.addEventListener("keydown", onKey, options);
    window.addEventListener("focusin", () => (isTyped = false), options);
    window.addEventListener("input", () => (isTyped = true), options);
    return () => stopping.abort();
  }, []);
}
