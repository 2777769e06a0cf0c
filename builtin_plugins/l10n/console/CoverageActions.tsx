import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { ActionMenu, type Action } from "@guildhall/console/ui/ActionMenu";
import { Button } from "@guildhall/console/ui/Button";
import { ConfirmByName } from "@guildhall/console/ui/ConfirmByName";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { ProgressBar } from "@guildhall/console/ui/ProgressBar";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useImport } from "./ImportButton";
import type { Coverage } from "./messages";
import { useDrafting } from "./useDrafting";
import styles from "./Coverage.module.css";

/** What a manager does with a whole language: draft, export, read its file again, discard drafts. */
export function CoverageActions({ coverage, name }: { coverage: Coverage; name: string }) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const { locale } = coverage;
  const [isDiscarding, setDiscarding] = useState(false);
  const drafting = useDrafting(locale);
  const load = useImport();
  const write = useMutation({
    mutationFn: () => dataOf(api.POST("/api/l10n/export", { body: { locale } })),
    onSuccess: ({ written }) => announce(t("l10n.exported", { count: written, file: `locales/${locale}.json` })),
  });
  const discard = async () => {
    const { discarded } = await dataOf(api.POST("/api/l10n/discard", { body: { locale } }));
    announce(t("l10n.discarded", { count: discarded }));
    void client.invalidateQueries({ queryKey: ["l10n"] });
  };
  const actions: Action[] = [
    ...(coverage.missing > 0 && !drafting.progress
      ? [{ id: "draft", name: t("l10n.draft"), onAction: () => drafting.start(coverage.missing) }]
      : []),
    ...(coverage.approved > 0 ? [{ id: "export", name: t("l10n.export"), onAction: () => write.mutate() }] : []),
    { id: "import", name: t("l10n.import"), onAction: () => load.mutate(locale) },
    ...(coverage.machine > 0
      ? [{ id: "discard", name: t("l10n.discard"), onAction: () => setDiscarding(true), isDangerous: true }]
      : []),
  ];
  const problem = drafting.problem ?? write.error ?? load.error;
  return (
    <>
      <ActionMenu of={name} actions={actions} />
      {drafting.progress && (
        <div className={styles.drafting}>
          <ProgressBar
            label={t("l10n.drafting_progress", drafting.progress)}
            value={drafting.progress.done / drafting.progress.total}
          />
          <Button kind="quiet" onPress={drafting.stop}>
            {t("action.stop")}
          </Button>
        </div>
      )}
      {problem != null && (
        <div className={styles.wide}>
          <ProblemNotice problem={problem} />
        </div>
      )}
      <ConfirmByName
        title={t("l10n.discard")}
        text={t("l10n.discard_confirm", { count: coverage.machine, name })}
        name={locale}
        action={t("l10n.discard")}
        isOpen={isDiscarding}
        onClose={() => setDiscarding(false)}
        onConfirm={discard}
      />
    </>
  );
}
