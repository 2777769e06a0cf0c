import { useMutation } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Value } from "@guildhall/console/ui/Value";
import styles from "./Draw.module.css";
import type { Spec } from "./drawing";
import { JsonField } from "./ValueField";

type Sample = Record<string, never>;

/** Tries the whole draft with a sample: what only reads is run, nothing is written, sent or asked. */
export function TryWhole({ spec }: { spec: Spec }) {
  const t = useText();
  const [input, setInput] = useState<unknown>({});
  const [outputs, setOutputs] = useState<unknown>({});
  const trial = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/workflow-tests", {
          body: { spec: spec as Sample, input: (input ?? {}) as Sample, outputs: (outputs ?? {}) as Sample },
        }),
      ),
  });
  return (
    <details className={styles.group}>
      <summary>{t("workflows.try_all")}</summary>
      <div className={styles.form}>
        <p className={styles.hint}>{t("workflows.try_all_help")}</p>
        <JsonField label={t("workflows.sample_input")} value={input} onChange={setInput} />
        <JsonField label={t("workflows.sample_steps")} help={t("workflows.sample_outputs_help")} value={outputs} onChange={setOutputs} />
        <div>
          <Button isPending={trial.isPending} onPress={() => trial.mutate()}>
            <FlaskConical size={16} />
            {t("workflows.try_all")}
          </Button>
        </div>
        {trial.error && <ProblemNotice problem={trial.error} />}
        {trial.data && (
          <>
            <ol className={styles.tried}>
              {trial.data.steps.map((step, place) => (
                <li key={place}>
                  <details>
                    <summary>
                      {step.name} <small>{t(`workflows.tried_${step.how}`)}</small>
                      {step.error && <span className={styles.fault}> {step.error.message}</span>}
                    </summary>
                    <Value title={t("workflows.input")} value={step.given} none={t("workflows.no_step")} />
                    <Value title={t("workflows.output")} value={step.result} none={t("workflows.try_nothing")} />
                  </details>
                </li>
              ))}
            </ol>
            {trial.data.error ? (
              <p role="status" className={styles.fault}>
                {t("workflows.try_failed", { step: trial.data.error.step, message: trial.data.error.message })}
              </p>
            ) : (
              <Value title={t("workflows.output")} value={trial.data.output} none={t("workflows.no_step")} />
            )}
          </>
        )}
      </div>
    </details>
  );
}
