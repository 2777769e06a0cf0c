import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { WordDifference } from "./WordDifference";
import styles from "./Localize.module.css";

export interface Theirs {
  text: string;
  version: number;
}

/** What somebody else wrote meanwhile, if that is why a text was refused. */
export function collisionOf(problem: unknown): Theirs | null {
  if (!(problem instanceof Problem) || problem.code !== "precondition_failed") return null;
  const current = problem.body.current as { text?: string | null; version?: number } | undefined;
  return typeof current?.version === "number" ? { text: current.text ?? "", version: current.version } : null;
}

export interface CollisionProps {
  mine: string;
  theirs: Theirs;
  onMine: () => void;
  onTheirs: () => void;
}

/** Two people wrote the same message: both texts, the difference, and a choice. */
export function Collision({ mine, theirs, onMine, onTheirs }: CollisionProps) {
  const t = useText();
  return (
    <div role="alert" className={styles.collision}>
      <p>{t("l10n.changed_meanwhile")}</p>
      <h3 className={styles.label}>{t("conflict.theirs")}</h3>
      <p className={styles.message} dir="auto">
        {theirs.text}
      </p>
      <h3 className={styles.label}>{t("l10n.difference")}</h3>
      <WordDifference before={theirs.text} after={mine} />
      <div className={styles.actions}>
        <Button onPress={onMine}>{t("conflict.keep_mine")}</Button>
        <Button onPress={onTheirs}>{t("conflict.take_theirs")}</Button>
      </div>
    </div>
  );
}
