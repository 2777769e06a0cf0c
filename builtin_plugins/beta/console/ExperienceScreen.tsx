import { useEffect } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { AssetsPanel } from "./AssetsPanel";
import { faultOf } from "./faults";
import { FieldsPanel } from "./FieldsPanel";
import { Preview } from "./Preview";
import { TemplatePanel } from "./TemplatePanel";
import { TextsPanel } from "./TextsPanel";
import { ThemePanel } from "./ThemePanel";
import { useExperience } from "./useExperience";
import styles from "./Beta.module.css";

/** The sign-up page: what it asks and says, how it looks, and beside it how visitors will see it. */
export function ExperienceScreen() {
  const t = useText();
  const announce = useAnnounce();
  const experience = useExperience();
  const { saved, edited, change, save, publish, problem, isStale, isDirty, version, fault } = experience;
  const onSave = () => save.mutate(version, { onSuccess: () => announce(t("state.saved")) });
  const onPublish = () =>
    publish.mutate(undefined, { onSuccess: (made) => announce(t("funnel.published", { version: made.version })) });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (isDirty && !save.isPending) onSave();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
  if (saved.isLoadingError) return <ProblemNotice problem={saved.error} onRetry={() => void saved.refetch()} />;
  if (!edited) return <SkeletonRows />;
  const faults = problem instanceof Problem ? problem.faults.filter(({ pointer }) => pointer !== "") : [];
  return (
    <>
      <PageHead title={t("nav.funnel")} text={isDirty ? t("funnel.unsaved") : version === 0 ? t("funnel.never_saved") : t("funnel.all_saved")}>
        <Button isDisabled={!isDirty} isPending={save.isPending} onPress={onSave}>
          {t("funnel.save_draft")}
        </Button>
        <Button kind="primary" isPending={publish.isPending} onPress={onPublish}>
          {t("funnel.publish")}
        </Button>
      </PageHead>
      {isStale && (
        <div role="alert" className={styles.stale}>
          <p>{t("funnel.changed_meanwhile")}</p>
          <Button onPress={() => void experience.keepMine()}>{t("conflict.keep_mine")}</Button>
          <Button onPress={() => void experience.takeTheirs()}>{t("conflict.take_theirs")}</Button>
        </div>
      )}
      {problem !== null && <ProblemNotice problem={problem} />}
      {faults.length > 0 && (
        <ul className={styles.faults}>
          {faults.map(({ pointer, message }) => (
            <li key={pointer}>
              <code>{pointer}</code> {message}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.editor}>
        <div className={styles.parts}>
          <TextsPanel document={edited} onChange={(copy) => change({ copy })} fault={fault} />
          <FieldsPanel fields={edited.fields} onChange={(fields) => change({ fields })} fault={fault} />
          <ThemePanel theme={edited.theme} onChange={(theme) => change({ theme })} problem={problem} />
          <AssetsPanel chosen={edited.assets} onChange={(assets) => change({ assets })} fault={fault} />
          <Panel title={t("funnel.judge_prompt")}>
            <TextField
              label={t("funnel.judge_prompt_label")}
              help={t("funnel.judge_prompt_help")}
              rows={5}
              value={edited.judge_prompt}
              onChange={(judge_prompt) => change({ judge_prompt })}
              {...faultOf(fault("/judge_prompt"))}
            />
          </Panel>
          <TemplatePanel template={edited.template} onChange={(template) => change({ template })} fault={fault("/template")} />
        </div>
        <Preview version={saved.data?.version ?? 0} locales={Object.keys(edited.copy)} isBehind={isDirty} />
      </div>
    </>
  );
}

