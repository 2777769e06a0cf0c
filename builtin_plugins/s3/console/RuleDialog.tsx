import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Form } from "@guildhall/console/ui/Form";
import { Actions, Modal } from "@guildhall/console/ui/Modal";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { Select } from "@guildhall/console/ui/Select";
import { TextField } from "@guildhall/console/ui/TextField";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { useSetRules, type Rule } from "./lifecycleRules";

const KINDS = ["old", "deleted", "markers"] as const;
type Kind = (typeof KINDS)[number];

/** What was typed as a figure; anything else is sent as it is, for the server to say what is wrong with it. */
const figureOf = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : (text as unknown as number));

const kindOf = (rule: Rule | null): Kind => (rule?.deleted_days ? "deleted" : rule?.empty_markers && rule.old_version_days === null ? "markers" : "old");

/** Makes a rule or changes one; all rules are sent together, and the others stay as they are. */
export function RuleDialog({ rules, rule, onClose }: { rules: readonly Rule[]; rule: Rule | null; onClose: () => void }) {
  const t = useText();
  const announce = useAnnounce();
  const set = useSetRules();
  const [name, setName] = useState(rule?.id ?? "");
  const [kind, setKind] = useState<Kind>(kindOf(rule));
  const [prefix, setPrefix] = useState(rule?.prefix ?? "");
  const [days, setDays] = useState(String(rule?.old_version_days ?? rule?.deleted_days ?? 30));
  const [kept, setKept] = useState(String(rule?.keep_old_versions ?? 0));
  const at = rule ? rules.findIndex(({ id }) => id === rule.id) : rules.length;
  const fault = (field: string) => {
    const words = set.error instanceof Problem ? (set.error.at(`/rules/${at}/${field}`) ?? set.error.at(`rules[${at}].${field}`)) : undefined;
    return words ? { fault: words } : {};
  };
  const isOld = kind === "old";
  function save() {
    const made: Rule = {
      id: name.trim(),
      enabled: rule?.enabled ?? true,
      prefix,
      old_version_days: isOld ? figureOf(days) : null,
      keep_old_versions: isOld ? figureOf(kept) : 0,
      // A rule of old versions may throw markers away as well, where it was made so elsewhere.
      empty_markers: kind === "markers" || (isOld && (rule?.empty_markers ?? false)),
      deleted_days: kind === "deleted" ? figureOf(days) : null,
    };
    set.mutate([...rules.slice(0, at), made, ...rules.slice(at + 1)], {
      onSuccess: () => {
        announce(t("s3.rules_saved"), () => set.mutate(rules));
        onClose();
      },
    });
  }
  return (
    <Modal title={rule ? t("s3.edit_rule") : t("s3.new_rule")} isOpen onClose={onClose}>
      <Form name="lifecycle-rule" onSubmit={save}>
        {set.isError && <ProblemNotice problem={set.error} />}
        <TextField label={t("list.name")} value={name} onChange={setName} isRequired autoFocus {...fault("id")} />
        <Select label={t("s3.rule_kind")} value={kind} onChange={(one) => setKind(one as Kind)} options={KINDS.map((id) => ({ id, name: t(`s3.kind_${id}`) }))} />
        {kind !== "markers" && (
          <TextField
            label={t("s3.days")}
            value={days}
            onChange={setDays}
            inputMode="numeric"
            isRequired
            help={isOld ? t("s3.days_old") : t("s3.days_deleted")}
            {...fault(isOld ? "old_version_days" : "deleted_days")}
          />
        )}
        {isOld && <TextField label={t("s3.kept")} value={kept} onChange={setKept} inputMode="numeric" help={t("s3.kept_help")} {...fault("keep_old_versions")} />}
        <TextField label={t("s3.prefix")} value={prefix} onChange={setPrefix} help={t("s3.prefix_help")} {...fault("prefix")} />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={set.isPending}>
            {t("s3.save_rule")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}
