import { Check, LogOut, Settings2 } from "lucide-react";
import { Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from "react-aria-components";
import { useLocation } from "wouter";

import { useText } from "../i18n/texts";
import { useIdentity, useSignOut, useSwitchTeam } from "../session/identity";
import styles from "../ui/Popover.module.css";
import { useAnnounce } from "../ui/Toasts";
import { AccountButton } from "./AccountButton";

/** Who one is and in which team, with the way to another one and out. */
export default function AccountMenu({ isOpen, onOpenChange }: { isOpen: boolean; onOpenChange: (isOpen: boolean) => void }) {
  const t = useText();
  const { user, team, teams, org } = useIdentity();
  const signOut = useSignOut();
  const switchTeam = useSwitchTeam();
  const announce = useAnnounce();
  const [, navigate] = useLocation();
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
    <MenuTrigger isOpen={isOpen} onOpenChange={onOpenChange}>
      <AccountButton />
      <Popover className={styles.popover ?? ""} placement="bottom end">
        <p className={styles.note} dir="auto">
          {user.username}
          <br />
          {team.name} · {org.name}
        </p>
        <hr className={styles.rule} />
        <Menu className={styles.list ?? ""} aria-label={t("nav.account")}>
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
          <MenuItem className={styles.item ?? ""} onAction={() => navigate("/account")}>
            <Settings2 size={16} aria-hidden="true" />
            {t("nav.account")}
          </MenuItem>
          <MenuItem className={styles.item ?? ""} onAction={() => void signOut()}>
            <LogOut size={16} aria-hidden="true" />
            {t("entry.sign_out")}
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
