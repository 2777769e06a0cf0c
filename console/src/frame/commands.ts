/** What the palette can do, for this person and now. */

import { ArrowRightLeft, Copy, Keyboard, Languages, LogOut, Monitor, Moon, PanelLeft, Rows3, Sun, type LucideIcon } from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";

import { chooseLocale } from "@guildhall/console/i18n/language";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { usePluginText } from "@guildhall/console/screens/pages";
import { useScreens } from "@guildhall/console/screens/shown";
import { useIdentity, useMay, useSignOut, useSwitchTeam } from "@guildhall/console/session/identity";
import { setPreference, usePreference, type Mode } from "@guildhall/console/theme/preferences";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { ACCOUNT } from "./shownScreens";

export interface Command {
  id: string;
  name: string;
  icon: LucideIcon;
  act: () => void;
  /** Begins a piece of work; the others are about the console itself. */
  isWork?: boolean;
}

const MODES: readonly [Mode, LucideIcon][] = [
  ["light", Sun],
  ["dark", Moon],
  ["system", Monitor],
];

export function useCommands(onHelp: () => void): Command[] {
  const { t, locale } = useTexts();
  const may = useMay();
  const { shown } = useScreens();
  const announce = useAnnounce();
  const signOut = useSignOut();
  const mode = usePreference("mode");
  const density = usePreference("density");
  const narrow = usePreference("narrow");
  const { team, teams } = useIdentity();
  const goTo = useSwitchTeam();
  const say = usePluginText();
  const { config, reload } = useInstance();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const work = shown
      .flatMap(({ begin = [], icon }) => begin.map((one) => ({ icon, ...one })))
      .filter(({ needs }) => may(needs))
      .map(({ name, icon, path }) => ({ id: name, name: say(name), icon, act: () => navigate(path), isWork: true }));
    const elsewhere = teams
      .filter(({ id }) => id !== team.id)
      .map((one) => ({ id: `team-${one.id}`, name: t("console.switch_to", { name: one.name }), icon: ArrowRightLeft, act: () => void goTo(one) }));
    const rows = density === "dense" ? "comfortable" : "dense";
    const copy = async () => {
      await navigator.clipboard.writeText(location.href);
      announce(t("action.copied"));
    };
    const modes = MODES.filter(([each]) => each !== mode).map(([each, icon]) => ({
      id: `theme-${each}`,
      name: t(`palette.theme_${each}`),
      icon,
      act: () => setPreference("mode", each),
    }));
    const { switching, locales } = config.localization;
    const languages = (switching ? locales : [])
      .filter(({ code }) => code !== locale)
      .map(({ code, name }) => ({
        id: `language-${code}`,
        name: t("palette.language", { language: name }),
        icon: Languages,
        act: () => (chooseLocale(code), reload()),
      }));
    return [
      ...work,
      { id: "link", name: t("palette.copy_link"), icon: Copy, act: () => void copy() },
      ...elsewhere,
      ...shown.filter(({ group }) => group === ACCOUNT).map(({ path, title, icon }) => ({ id: path, name: title, icon, act: () => navigate(path) })),
      ...modes,
      { id: "rows", name: t(`console.rows_${rows}`), icon: Rows3, act: () => setPreference("density", rows) },
      { id: "narrow", name: t(narrow ? "nav.expand" : "nav.collapse"), icon: PanelLeft, act: () => setPreference("narrow", !narrow) },
      ...languages,
      { id: "help", name: t("keys.title"), icon: Keyboard, act: onHelp },
      { id: "out", name: t("entry.sign_out"), icon: LogOut, act: () => void signOut() },
    ];
  }, [t, say, locale, may, shown, announce, signOut, mode, density, narrow, team, teams, goTo, config, reload, navigate, onHelp]);
}
