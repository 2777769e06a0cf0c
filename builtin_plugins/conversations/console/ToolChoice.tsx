import { useQuery } from "@tanstack/react-query";
import { Wrench } from "lucide-react";
import { Dialog, DialogTrigger, Popover } from "react-aria-components";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import { Checkbox } from "@guildhall/console/ui/Checkbox";
import { Switch } from "@guildhall/console/ui/Switch";
import type { Turn } from "./conversation";
import styles from "./ToolChoice.module.css";

export type ChosenTools = Turn["tools"];

const MAX_TOOLS = 200;

/** Whether the model may use tools, and which: nothing is used that is not ticked here. */
export function ToolChoice({ chosen, onChange }: { chosen: ChosenTools; onChange: (chosen: ChosenTools) => void }) {
  const t = useText();
  const said = chosen === "none" ? t("chat.tools") : chosen === "any" ? `${t("chat.tools")}: ${t("state.on")}` : t("chat.tools_some", { count: chosen.length });
  return (
    <DialogTrigger>
      <Button kind="quiet">
        <Wrench size={16} aria-hidden="true" />
        {said}
      </Button>
      <Popover className={styles.popover!} placement="top start">
        <Dialog className={styles.dialog!} aria-label={t("chat.tools")}>
          <Switch isSelected={chosen !== "none"} onChange={(isOn) => onChange(isOn ? "any" : "none")}>
            {t("chat.use_tools")}
          </Switch>
          <p className={styles.help}>{t("chat.tools_help")}</p>
          {chosen !== "none" && <ToolList chosen={chosen} onChange={onChange} />}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

function ToolList({ chosen, onChange }: { chosen: "any" | string[]; onChange: (chosen: ChosenTools) => void }) {
  const t = useText();
  const may = useMay();
  const tools = useQuery({ queryKey: ["tools", "all"], queryFn: () => dataOf(api.GET("/api/tools", { params: { query: { limit: MAX_TOOLS } } })) });
  const usable = (tools.data?.items ?? []).filter(({ enabled, permission }) => enabled && may(permission));
  const picked = chosen === "any" ? [] : chosen;
  const toggle = (name: string, isOn: boolean) => {
    const next = isOn ? [...picked, name] : picked.filter((one) => one !== name);
    onChange(next.length ? next : "any");
  };
  return (
    <>
      <Checkbox isSelected={chosen === "any"} onChange={(isOn) => isOn && onChange("any")}>
        {t("chat.tools_any")}
      </Checkbox>
      <ul className={styles.list}>
        {usable.map(({ name, description }) => (
          <li key={name}>
            <Checkbox isSelected={picked.includes(name)} onChange={(isOn) => toggle(name, isOn)}>
              {name}
            </Checkbox>
            <span className={styles.what}>{description}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
