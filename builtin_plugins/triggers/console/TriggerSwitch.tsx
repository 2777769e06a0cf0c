import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { Switch } from "@guildhall/console/ui/Switch";
import type { Trigger } from "./trigger";
import styles from "./TriggerSwitch.module.css";
import { useSwitch } from "./useTriggers";

/** On or off; whoever may not change it sees which. */
export function TriggerSwitch({ trigger }: { trigger: Pick<Trigger, "id" | "enabled" | "workflow_slug" | "match_prefix"> }) {
  const t = useText();
  const may = useMay();
  const turn = useSwitch();
  const { id, enabled, workflow_slug: workflow, match_prefix: prefix } = trigger;
  if (!may("workflows:write")) return <StateMark state={enabled ? "on" : "off"} />;
  return (
    <span className={styles.switch}>
      <Switch
        isSelected={enabled}
        onChange={(isOn) => turn({ id, enabled: isOn })}
        aria-label={t("triggers.switch", { workflow, prefix: prefix || t("triggers.every_key") })}
      >
        {enabled ? t("state.on") : t("state.off")}
      </Switch>
    </span>
  );
}
