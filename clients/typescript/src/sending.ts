/** How arguments become a request: the segments of a path, the words of a query. */

export type Query = object;

/** One segment of a path. */
export function segment(value: string | number): string {
  return quoted(String(value));
}

/** The rest of a path, slashes and all. */
export function segments(value: string): string {
  return value.split("/").map(quoted).join("/");
}

function quoted(text: string): string {
  if (!text) throw new TypeError("an id or a key is not empty");
  // What is read as the way up in a path is written so that it is not.
  return text === "." ? "%2E" : text === ".." ? "%2E%2E" : encodeURIComponent(text);
}

/** A query without what is left out; what is true or false is said as 1 or 0. */
export function words(query: Query): string {
  const found = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = new URLSearchParams(
    found.map(([name, value]) => [name, typeof value === "boolean" ? String(Number(value)) : String(value)]),
  );
  return found.length ? `?${text}` : "";
}

/** A name for one attempt; unlike `randomUUID` it can be made where the page came without TLS. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
