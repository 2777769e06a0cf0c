import { CircleUser } from "lucide-react";
import type { Ref } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import frame from "./Frame.module.css";

/** What opens the menu of one's account: one's name. */
export function AccountButton({ ref, isOpen, onPress }: { ref: Ref<HTMLButtonElement>; isOpen: boolean; onPress: () => void }) {
  const t = useText();
  const { user } = useIdentity();
  const name = user.display_name || user.username;
  return (
    <Button ref={ref} kind="quiet" aria-label={`${t("nav.account")}: ${name}`} aria-haspopup="menu" aria-expanded={isOpen} onPress={onPress}>
      <CircleUser size={16} />
      <span className={frame.person}>{name}</span>
    </Button>
  );
}
