import { X } from "lucide-react";
import { createContext, useCallback, useContext, useMemo, useState, type ReactNode } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";
import styles from "./Toasts.module.css";

interface Toast {
  id: number;
  text: string;
  undo?: () => void;
}

/** Says what was done, for ten seconds, with a way back where there is one. */
export type Announce = (text: string, undo?: () => void) => void;

const SHOWN_MS = 10_000;
const AnnounceContext = createContext<Announce | null>(null);

export function ToastProvider({ children }: { children: ReactNode }) {
  const t = useText();
  const [toasts, setToasts] = useState<Toast[]>([]);
  const drop = useCallback((id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)), []);
  const announce = useMemo<Announce>(() => {
    let last = 0;
    return (text, undo) => {
      const id = (last += 1);
      setToasts((before) => [...before, { id, text, ...(undo && { undo }) }]);
      setTimeout(() => drop(id), SHOWN_MS);
    };
  }, [drop]);
  return (
    <AnnounceContext value={announce}>
      {children}
      <div role="status" className={styles.stack} data-react-aria-top-layer="true">
        {toasts.map(({ id, text, undo }) => (
          <div key={id} className={styles.toast}>
            <span>{text}</span>
            {undo && (
              <Button
                kind="quiet"
                onPress={() => {
                  undo();
                  drop(id);
                }}
              >
                {t("action.undo")}
              </Button>
            )}
            <Button kind="quiet" aria-label={t("action.close")} onPress={() => drop(id)}>
              <X size={16} />
            </Button>
          </div>
        ))}
      </div>
    </AnnounceContext>
  );
}

export function useAnnounce(): Announce {
  const announce = useContext(AnnounceContext);
  if (!announce) throw new Error("useAnnounce outside of ToastProvider");
  return announce;
}
