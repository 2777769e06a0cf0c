import { Check, LogOut } from "lucide-react";
import type { RefObject } from "react";
import { Header, Menu, MenuItem, MenuSection, Popover } from "react-aria-components";
import { useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { useScreens } from "@guildhall/console/screens/shown";
import { useIdentity, useSignOut, useSwitchTeam } from "@guildhall/console/session/identity";
import styles from "@guildhall/console/ui/Popover.module.css";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { ACCOUNT } from "./shownScreens";

interface AccountMenuProps {
  button: RefObject<HTMLButtonElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

/** Who one is and in which team, with the way to another one and out. */
export default function AccountMenu({ button, isOpen, onOpenChange }: AccountMenuProps) {
  const t = useText();
  const { user, team, teams, org } = useIdentity();
  const signOut = useSignOut();
  const switchTeam = useSwitchTeam();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
  const places = useScreens().shown.filter(({ group }) => group === ACCOUNT);
  async function goTo(id: string, teamName: string) {
    if (id === team.id) return;
    try {
      await switchTeam(id);
      announce(t("nav.switched_team", { name: teamName }));
    } catch {
      announce(t("error.title"));
    }
  }
  return (
    <Popover triggerRef={button} isOpen={isOpen} onOpenChange={onOpenChange} className={styles.popover ?? ""} placement="bottom end">
      <p className={styles.note} dir="auto">
        {user.username}
        <br />
        {team.name} · {org.name}
      </p>
      <hr className={styles.rule} />
      <Menu className={styles.list ?? ""} aria-label={t("nav.account")} autoFocus="first" onClose={() => onOpenChange(false)}>
        {teams.length > 1 ? (
          <MenuSection>
            <Header className={styles.note ?? ""}>{t("nav.switch_team")}</Header>
            {teams.map(({ id, name: teamName }) => (
              <MenuItem key={id} className={styles.item ?? ""} onAction={() => void goTo(id, teamName)} textValue={teamName}>
                {teamName}
                {id === team.id && <Check size={16} className={styles.here} aria-label={t("nav.current_team")} />}
              </MenuItem>
            ))}
          </MenuSection>
        ) : null}
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
