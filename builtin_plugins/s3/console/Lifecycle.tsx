import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import { useText, useTexts } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { formatSize } from "@guildhall/console/ui/sizes";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Switch } from "@guildhall/console/ui/Switch";
import { Table } from "@guildhall/console/ui/Table";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useLifecycle, useSetRules, wordsOf, type Lifecycle as Stored, type Rule } from "./lifecycleRules";
import { RuleDialog } from "./RuleDialog";
import styles from "./Team.module.css";

/** For how long the team's bucket keeps old versions and what was deleted. */
export function Lifecycle() {
  const t = useText();
  const announce = useAnnounce();
  const stored = useLifecycle();
  const set = useSetRules();
  const [edited, setEdited] = useState<Rule | "new" | null>(null);
  const rules = stored.data?.rules ?? [];
  const change = (next: readonly Rule[], words: string) =>
    set.mutate(next, { onSuccess: () => announce(words, () => set.mutate(rules)) });
  return (
    <Panel
      title={t("s3.lifecycle")}
      actions={
        <Button onPress={() => setEdited("new")}>
          <Plus size={16} aria-hidden="true" />
          {t("s3.new_rule")}
        </Button>
      }
    >
      <p className={styles.help}>{t("s3.lifecycle_help")}</p>
      {stored.isPending && <SkeletonRows count={2} />}
      {stored.isLoadingError && <ProblemNotice problem={stored.error} onRetry={() => void stored.refetch()} />}
      {set.isError && edited === null && <ProblemNotice problem={set.error} />}
      {rules.length > 0 && (
        <Table
          label={t("s3.lifecycle")}
          items={rules}
          idOf={({ id }) => id}
          columns={[
            { id: "name", name: t("list.name"), cell: ({ id }) => <bdi>{id}</bdi> },
            { id: "does", name: t("s3.rule_does"), cell: (rule) => wordsOf(t, rule) },
            { id: "prefix", name: t("s3.prefix"), isSecondary: true, cell: ({ prefix }) => (prefix ? <span className={styles.code}>{prefix}</span> : t("tokens.scope_all")) },
            {
              id: "on",
              name: t("s3.rule_on"),
              cell: (rule) => (
                <Switch
                  aria-label={`${t("s3.rule_on")}: ${rule.id}`}
                  isSelected={rule.enabled}
                  isDisabled={set.isPending}
                  onChange={(enabled) => change(rules.map((one) => (one.id === rule.id ? { ...one, enabled } : one)), t("s3.rules_saved"))}
                />
              ),
            },
          ]}
          actions={(rule) => (
            <>
              <RowAction icon={Pencil} name={t("action.edit")} of={rule.id} onPress={() => setEdited(rule)} />
              <RowAction
                icon={Trash2}
                name={t("action.delete")}
                of={rule.id}
                onPress={() => change(rules.filter(({ id }) => id !== rule.id), t("s3.rule_gone", { name: rule.id }))}
              />
            </>
          )}
        />
      )}
      {stored.data && <Effect lifecycle={stored.data} />}
      {edited && <RuleDialog rules={rules} rule={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </Panel>
  );
}

/** What would go now, when the rules begin to hold, and what went already. */
function Effect({ lifecycle: { rules, holds_from, preview, thrown_away } }: { lifecycle: Stored }) {
  const { t, locale } = useTexts();
  if (rules.length === 0) return <p>{t("s3.no_rules")}</p>;
  const isLater = holds_from !== null && Date.parse(holds_from) > Date.now();
  const format = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  return (
    <div className={styles.effect}>
      {isLater && <p>{t("s3.holds_from", { date: format.format(new Date(holds_from)) })}</p>}
      <p>{t("s3.would_go", { versions: preview.versions, files: preview.deleted_objects, size: formatSize(preview.bytes, locale) })}</p>
      {thrown_away.versions > 0 && <p>{t("s3.went", { versions: thrown_away.versions, size: formatSize(thrown_away.bytes, locale) })}</p>}
    </div>
  );
}
