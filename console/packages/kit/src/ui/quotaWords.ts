/** What a quota is of, and its figures, as people say them. */

import type { Translate, Values } from "../i18n/texts";
import { formatSize } from "./sizes";
import { nameKeyOf } from "./quotas";

/** The fields of a refusal by a quota that are shown: bytes as a size, other figures with their separators. */
export function quotaWords({ dimension, used, limit }: Values, t: Translate, locale: string): Values {
  const name = String(dimension);
  const key = nameKeyOf(name);
  const figure = (amount: Values[string] | undefined) => {
    if (typeof amount !== "number") return String(amount ?? "");
    return name.endsWith(".bytes") ? formatSize(amount, locale) : new Intl.NumberFormat(locale).format(amount);
  };
  return { dimension: key ? t(key) : name, used: figure(used), limit: figure(limit) };
}
