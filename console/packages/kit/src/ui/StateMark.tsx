import { Ban, CircleCheck, CircleDashed, CircleX, Clock, LoaderCircle, type LucideIcon } from "lucide-react";

import { useTexts } from "../i18n/texts";
import styles from "./StateMark.module.css";

const ICONS: Record<string, LucideIcon> = {
  queued: Clock,
  scheduled: Clock,
  running: LoaderCircle,
  succeeded: CircleCheck,
  active: CircleCheck,
  on: CircleCheck,
  failed: CircleX,
  cancelled: Ban,
  suspended: Ban,
};

/** A state as an icon and a word, never as a colour alone. `text` is for states that have words of their own. */
export function StateMark({ state, text }: { state: string; text?: string }) {
  const { t, has } = useTexts();
  const Icon = ICONS[state] ?? CircleDashed;
  const key = `state.${state}`;
  return (
    <span className={styles.mark} data-state={state}>
      <Icon size={16} aria-hidden="true" />
      {text ?? (has(key) ? t(key) : state)}
    </span>
  );
}
