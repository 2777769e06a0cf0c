/** A model as who names it sees it, and what a form makes of it. */

export interface Allowed {
  roles?: readonly string[];
  teams?: readonly string[];
  users?: readonly string[];
}

export interface Price {
  currency: string;
  input_per_million: number;
  output_per_million: number;
}

export interface NamedModel {
  name: string;
  label: string;
  description: string;
  executor: string;
  model: string | null;
  /** null is everybody who may use models. */
  allowed: Allowed | null;
  price: Price | null;
  /** It is for every company. */
  instance: boolean;
}

/** The model that is there without set-up. */
export const DEFAULT = "default";
export const ROLES = ["viewer", "member", "admin", "owner", "org_reader", "org_admin", "org_owner"] as const;

/** How many roles, teams and people may use a model. */
export const count = ({ roles = [], teams = [], users = [] }: Allowed): number => roles.length + teams.length + users.length;

/** The price that was typed: null for none, undefined where it is no price. */
export function priceOf(currency: string, input: string, output: string): Price | null | undefined {
  if (![currency, input, output].some((text) => text.trim())) return null;
  const [reads, writes] = [input, output].map((text) => (text.trim() ? Number(text.trim().replace(",", ".")) : NaN)) as [number, number];
  const code = currency.trim().toUpperCase();
  if (!/^[A-Z]{3}$/.test(code) || !(reads >= 0) || !(writes >= 0)) return undefined;
  return { currency: code, input_per_million: reads, output_per_million: writes };
}

/** A list with something in it, or without it. */
export const switched = (list: readonly string[], id: string, isIn: boolean): string[] => (isIn ? [...new Set([...list, id])] : list.filter((one) => one !== id));
