import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { useIdentity } from "@guildhall/console/session/identity";
import type { Turn } from "./conversation";
import styles from "./Exchange.module.css";
import { shownValue } from "./shownValue";

export type Decide = "once" | "always" | "deny";

/** What a tool would do in the name of who asked, for them to allow or refuse. */
export function ToolDecision({ turn, onDecide }: { turn: Turn; onDecide: (turn: Turn, number: number, decision: Decide) => void }) {
  const t = useText();
  const { user } = useIdentity();
  const waiting = turn.parts.flatMap((part) => (part.kind === "step" && part.step.state === "waiting" ? [part.step] : []));
  if (user.id !== turn.author.id) return <p className={styles.why}>{t("chat.waits_for", { name: turn.author.name })}</p>;
  return waiting.map(({ n, tool, arguments: given }) => (
    <div key={n} className={styles.decision} role="group" aria-label={t("chat.may_tool", { tool })}>
      <p>{t("chat.may_tool", { tool })}</p>
      <pre dir="ltr" tabIndex={0}>
        {shownValue(given)}
      </pre>
      <span className={styles.choices}>
        <Button kind="primary" onPress={() => onDecide(turn, n, "once")}>
          {t("chat.allow_once")}
        </Button>
        <Button onPress={() => onDecide(turn, n, "always")}>{t("chat.allow_always")}</Button>
        <Button kind="quiet" onPress={() => onDecide(turn, n, "deny")}>
          {t("chat.deny")}
        </Button>
      </span>
    </div>
  ));
}
