import { CircleUser } from "lucide-react";

import { useText } from "../i18n/texts";
import { useIdentity } from "../session/identity";
import { Button } from "../ui/Button";
import frame from "./Frame.module.css";

/** What opens the menu of one's account: one's name. */
export function AccountButton({ onPress }: { onPress?: () => void }) {
  const t = useText();
  const { user } = useIdentity();
  const name = user.display_name || user.username;
  return (
    <Button kind="quiet" aria-label={`${t("nav.account")}: ${name}`} {...(onPress && { onPress })}>
      <CircleUser size={16} />
      <span className={frame.person}>{name}</span>
    </Button>
  );
}
