import { useText } from "@guildhall/console/i18n/texts";
import { Tabs } from "@guildhall/console/screens/Tabs";

/** The instance as its operator sees it: how it is, who is on it, and what it is made of. */
export default function Instance() {
  const t = useText();
  return <Tabs path="/instance" label={t("nav.group_instance")} />;
}
