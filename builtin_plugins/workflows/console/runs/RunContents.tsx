import { useText } from "@guildhall/console/i18n/texts";
import { Panel } from "@guildhall/console/ui/Panel";
import { hasContents, noOutput, type Run } from "./run";
import { Value } from "@guildhall/console/ui/Value";
import styles from "./StepDetail.module.css";

/** What a run was given, and what came of it. */
export function RunContents({ run }: { run: Run }) {
  const t = useText();
  return (
    <Panel title={t("runs.contents")}>
      {hasContents(run) ? (
        <div className={`${styles.values} ${styles.aside}`}>
          <Value title={t("workflows.input")} value={run.input} none={t("runs.not_shown")} />
          <Value title={t("workflows.output")} value={run.output} none={t(noOutput(run.state))} />
        </div>
      ) : (
        <p className={styles.hidden}>{t("runs.hidden")}</p>
      )}
    </Panel>
  );
}
