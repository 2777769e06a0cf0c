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

/** Tries one step with a sample: what it would be given, and what it gives where nothing is written. */
export function TryStep({ spec, name }: { spec: Spec; name: string }) {
  const t = useText();
  const [input, setInput] = useState<unknown>({});
  const [outputs, setOutputs] = useState<unknown>({});
  const trial = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST("/api/workflow-tries", {
          body: { spec: spec as Sample, step: name, input: (input ?? {}) as Sample, outputs: (outputs ?? {}) as Sample },
        }),
      ),
  });
  return (
    <details className={styles.group}>
      <summary>{t("workflows.try")}</summary>
      <div className={styles.form}>
        <JsonField label={t("workflows.sample_input")} value={input} onChange={setInput} />
        <JsonField label={t("workflows.sample_outputs")} help={t("workflows.sample_outputs_help")} value={outputs} onChange={setOutputs} />
        <div>
          <Button isPending={trial.isPending} onPress={() => trial.mutate()}>
            <FlaskConical size={16} />
            {t("workflows.try")}
          </Button>
        </div>
        {trial.error && <ProblemNotice problem={trial.error} />}
        {trial.data &&
          (trial.data.error ? (
            <p className={styles.fault}>{trial.data.error.message}</p>
          ) : (
            <>
              <Value title={t("workflows.input")} value={trial.data.given} none={t("workflows.no_step")} />
              <Value title={t("workflows.output")} value={trial.data.result} none={t("workflows.try_nothing")} />
            </>
          ))}
      </div>
    </details>
  );
}
