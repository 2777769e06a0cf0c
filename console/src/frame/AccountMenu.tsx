import { LogOut } from "lucide-react";
import type { RefObject } from "react";
import { Menu, MenuItem, Popover } from "react-aria-components";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useScreens } from "@guildhall/console/screens/shown";
import { useIdentity, useSignOut } from "@guildhall/console/session/identity";
import styles from "@guildhall/console/ui/Popover.module.css";
import { ACCOUNT } from "./shownScreens";

export interface AccountMenuProps {
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

/** Who one is, with the ways to one's account and out. */
export default function AccountMenu({ button, isOpen, onOpenChange }: AccountMenuProps) {
  const t = useText();
  const { user, team, org } = useIdentity();
  const signOut = useSignOut();
  const [, navigate] = useLocation();
  const places = useScreens().shown.filter(({ group }) => group === ACCOUNT);
  return (
    <Popover aria-label={t("nav.account")} triggerRef={button} isOpen={isOpen} onOpenChange={onOpenChange} className={styles.popover ?? ""} placement="bottom end">
      <p className={styles.note} dir="auto">
        {user.username}
        <br />
        {team.name} · {org.name}
      </p>
      <hr className={styles.rule} />
      <Menu className={styles.list ?? ""} aria-label={t("nav.account")} autoFocus="first" onClose={() => onOpenChange(false)}>
        {places.map(({ path, title, icon: Icon }) => (
          <MenuItem key={path} className={styles.item ?? ""} onAction={() => navigate(path)} textValue={title}>
            <Icon size={16} aria-hidden="true" />
            {title}
          </MenuItem>
        ))}
        <MenuItem className={styles.item ?? ""} onAction={() => void signOut()}>
          <LogOut size={16} aria-hidden="true" />
          {t("entry.sign_out")}
        </MenuItem>
      </Menu>
    </Popover>
  );
}
