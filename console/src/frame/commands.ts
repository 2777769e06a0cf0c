/** What the palette can do, for this person and now. */

import { Copy, FolderUp, Keyboard, Languages, LogOut, MessageSquarePlus, Monitor, Moon, NotebookPen, Sun, UserPlus, type LucideIcon } from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";

import { chooseLocale } from "../i18n/language";
import { useTexts } from "../i18n/texts";
import { useInstance } from "../instance";
import { useMay, useSignOut } from "../session/identity";
import { setPreference, usePreference, type Mode } from "../theme/preferences";
import { useAnnounce } from "../ui/Toasts";
import { usePlaces } from "./switches";

export interface Command {
  id: string;
  name: string;
  icon: LucideIcon;
  act: () => void;
  /** Begins a piece of work; the others are about the console itself. */
  isWork?: boolean;
}

/** Work that begins somewhere: the place must be there, and the permission held. */
const WORK = [
  { id: "note", name: "notes.new", icon: NotebookPen, place: "/notes", path: "/notes/new", needs: "notes:write" },
  { id: "upload", name: "home.start_file", icon: FolderUp, place: "/files", path: "/files", needs: "files:write" },
  { id: "chat", name: "palette.new_chat", icon: MessageSquarePlus, place: "/chat", path: "/chat", needs: "chat:use" },
  { id: "invite", name: "home.start_invite", icon: UserPlus, place: "/members", path: "/members", needs: "members:manage" },
] as const;
const MODES: readonly [Mode, LucideIcon][] = [
  ["light", Sun],
  ["dark", Moon],
  ["system", Monitor],
];

export function useCommands(onHelp: () => void): Command[] {
  const { t, locale } = useTexts();
  const may = useMay();
  const places = usePlaces();
  const announce = useAnnounce();
  const signOut = useSignOut();
  const mode = usePreference("mode");
  const { config, reload } = useInstance();
  const [, navigate] = useLocation();
  return useMemo(() => {
    const work = WORK.filter(({ place, needs }) => may(needs) && places.some(({ path }) => path === place)).map(
      ({ id, name, icon, path }) => ({ id, name: t(name), icon, act: () => navigate(path), isWork: true }),
    );
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
  }, [t, locale, may, places, announce, signOut, mode, config, reload, navigate, onHelp]);
}
