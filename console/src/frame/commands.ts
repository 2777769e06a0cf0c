/** What the palette can do, for this person and now. */

import { Copy, Keyboard, Languages, LogOut, Monitor, Moon, Sun, type LucideIcon } from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";

import { chooseLocale } from "@guildhall/console/i18n/language";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useInstance } from "@guildhall/console/instance";
import { useScreens } from "@guildhall/console/screens/shown";
import { useMay, useSignOut } from "@guildhall/console/session/identity";
import { setPreference, usePreference, type Mode } from "@guildhall/console/theme/preferences";
import { useAnnounce } from "@guildhall/console/ui/Toasts";

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
  const { config, reload } = useInstance();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const work = shown
      .flatMap(({ begin = [] }) => begin)
      .filter(({ needs }) => may(needs))
      .map(({ name, icon, path }) => ({ id: name, name: t(name), icon, act: () => navigate(path), isWork: true }));
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
      ...modes,
      ...languages,
      { id: "help", name: t("keys.title"), icon: Keyboard, act: onHelp },
      { id: "out", name: t("entry.sign_out"), icon: LogOut, act: () => void signOut() },
    ];
  }, [t, locale, may, shown, announce, signOut, mode, config, reload, navigate, onHelp]);
}
