/** Sizes and types as people say them. */

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const STEP = 1000;

/** A size in the unit that leaves few figures: "1.2 MB". */
export function formatSize(bytes: number, locale: string): string {
  let unit = 0;
  let figure = bytes;
  while (figure >= STEP * 0.9995 && unit < UNITS.length - 1) {
    figure /= STEP;
    unit += 1;
  }
  // "B", where some languages would spell the word out.
  if (unit === 0) return `${figure} B`;
  return formatFor(locale, UNITS[unit] ?? "byte", figure >= 100 ? 0 : 1).format(figure);
}

// Dear to make, and a long list asks for one in every row.
const formats = new Map<string, Intl.NumberFormat>();

function formatFor(locale: string, unit: string, maximumFractionDigits: number): Intl.NumberFormat {
  const name = `${locale} ${unit} ${maximumFractionDigits}`;
  const found = formats.get(name) ?? new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits });
  formats.set(name, found);
  return found;
}

/** A name in which nothing turns the reading order around: what ends in .exe is seen to. */
export const plainName = (name: string) => name.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

const LONGEST_EXTENSION = 5;

/** What kind of file it is, in the few letters that people know it by. */
export function typeName(contentType: string, filename: string): string {
  const extension = /\.([A-Za-z0-9]+)$/.exec(filename)?.[1] ?? "";
  if (extension && extension.length <= LONGEST_EXTENSION) return extension.toUpperCase();
  return mediaType(contentType).split("/")[1] ?? contentType;
}

/** The type without its parameters. */
export const mediaType = (contentType: string) => (contentType.split(";")[0] ?? "").trim().toLowerCase();

const TEXTS = new Set(["application/json", "application/xml", "application/yaml", "application/javascript", "application/toml"]);
/** Longer ones are not edited here: a browser would choke on them. */
export const MAX_TEXT_BYTES = 4_000_000;

/** Whether it has lines that can be compared and edited. */
export function isText(contentType: string): boolean {
  const type = mediaType(contentType);
  return type.startsWith("text/") || TEXTS.has(type);
}
