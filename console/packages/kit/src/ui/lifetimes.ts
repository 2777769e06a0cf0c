/** How long something made here works; the API takes seconds or "never". */

import type { Translate } from "../i18n/texts";
import type { Option } from "./Select";

const DAYS = [1, 7, 30, 90, 365] as const;
const DAY_SECONDS = 86_400;
export const DEFAULT_LIFETIME = "90";
export const NEVER = "never";

export function lifetimeOptions(t: Translate): Option[] {
  return [...DAYS.map((count) => ({ id: String(count), name: t("tokens.days", { count }) })), { id: NEVER, name: t("tokens.no_end") }];
}

export const secondsOf = (lifetime: string): number | "never" => (lifetime === NEVER ? NEVER : Number(lifetime) * DAY_SECONDS);
