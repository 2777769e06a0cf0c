import { Check } from "lucide-react";
import { Menu, MenuItem, Popover } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import { useIdentity, useSwitchTeam } from "@guildhall/console/session/identity";
import styles from "@guildhall/console/ui/Popover.module.css";
import type { AccountMenuProps } from "./AccountMenu";

/** The teams that one is in, with the way to each. */
export default function TeamMenu({ button, isOpen, onOpenChange }: AccountMenuProps) {
  const t = useText();
  const { team, teams, org } = useIdentity();
  const goTo = useSwitchTeam();
  return (
    <Popover aria-label={t("nav.switch_team")} triggerRef={button} isOpen={isOpen} onOpenChange={onOpenChange} className={styles.popover ?? ""} placement="bottom start">
      <p className={styles.note} dir="auto">
        {org.name}
      </p>
      <Menu className={styles.list ?? ""} aria-label={t("nav.switch_team")} autoFocus="first" onClose={() => onOpenChange(false)}>
        {teams.map((one) => (
          <MenuItem key={one.id} className={styles.item ?? ""} onAction={() => one.id !== team.id && void goTo(one)} textValue={one.name}>
            {one.name}
            {one.id === team.id && <Check size={16} className={styles.here} aria-label={t("nav.current_team")} />}
          </MenuItem>
        ))}
      </Menu>
    </Popover>
  );
}
