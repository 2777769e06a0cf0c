/** Which language to show: what the person chose, what their profile says, what the browser asks for. */

import { safely } from "../device";

const KEY = "guildhall.locale";
const tabs = new BroadcastChannel("guildhall.locale");

export const chosenLocale = (): string | null => safely(() => localStorage.getItem(KEY), null);

export function chooseLocale(locale: string | null): void {
  safely(() => (locale ? localStorage.setItem(KEY, locale) : localStorage.removeItem(KEY)), undefined);
  tabs.postMessage(locale);
}

/** Calls back when a language is chosen in another tab of this browser. */
export function onLocaleChosen(listener: (locale: string | null) => void): () => void {
  const hear = ({ data }: MessageEvent<string | null>) => listener(data);
  tabs.addEventListener("message", hear);
  return () => tabs.removeEventListener("message", hear);
}

export interface Policy {
  default_locale: string;
  locales: { code: string; name: string; dir: string }[];
  switching: boolean;
}

/** The first of the wishes that this instance speaks; its default where people may not choose. */
export function pickLocale(policy: Policy, wishes: readonly (string | null | undefined)[]): string {
  if (!policy.switching) return policy.default_locale;
  const spoken = new Map(policy.locales.map(({ code }) => [code.toLowerCase(), code]));
  for (const wish of wishes) {
    for (let tag = wish?.toLowerCase() ?? ""; tag; tag = tag.slice(0, Math.max(0, tag.lastIndexOf("-")))) {
      const code = spoken.get(tag);
      if (code) return code;
    }
  }
  return policy.default_locale;
}
