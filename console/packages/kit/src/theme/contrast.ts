/** Whether a theme can be read: the server's own formula and floors, for a verdict while somebody picks. */

import type { Theme } from "./apply";

/** Foreground, background, and how far apart they must stand: WCAG's floors for text and for controls. */
export const FLOORS: readonly (readonly [string, string, number])[] = [
  ["text", "bg", 4.5],
  ["text", "surface", 4.5],
  ["muted", "bg", 4.5],
  ["muted", "surface", 4.5],
  ["on-accent", "accent", 4.5],
  ["on-danger", "danger", 4.5],
  ["accent", "bg", 3],
  ["focus", "bg", 3],
  ["danger", "bg", 3],
];
export const COLOURS = ["bg", "surface", "text", "muted", "border", "accent", "on-accent", "danger", "on-danger", "focus"] as const;
export const MAX_RADIUS = 24;

const WEIGHTS = [0.2126, 0.7152, 0.0722] as const;
const COLOUR = /^#[0-9a-f]{6}$/i;

export interface Verdict {
  foreground: string;
  background: string;
  /** Rounded down, never up to the floor. */
  ratio: number;
  floor: number;
  isGood: boolean;
}

export const isColour = (value: unknown): value is string => typeof value === "string" && COLOUR.test(value);

/** The contrast of two `#rrggbb`, from 1, no difference, to 21, black and white. */
export function contrast(one: string, other: string): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** The verdicts of one mode, by the tokens without its prefix; colours that are none yet are not judged. */
export function verdictsOf(palette: Theme, mode: "light" | "dark"): Verdict[] {
  const prefix = mode === "dark" ? "dark-" : "";
  return FLOORS.flatMap(([foreground, background, floor]) => {
    const front = palette[prefix + foreground];
    const back = palette[prefix + background];
    if (!isColour(front) || !isColour(back)) return [];
    const ratio = contrast(front, back);
    return [{ foreground, background, floor, ratio: Math.floor(ratio * 100) / 100, isGood: ratio >= floor }];
  });
}

function luminance(colour: string): number {
  return WEIGHTS.reduce((sum, weight, index) => sum + weight * linear(parseInt(colour.slice(1 + 2 * index, 3 + 2 * index), 16) / 255), 0);
}

const linear = (channel: number): number => channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
