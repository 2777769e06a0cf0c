/** What this browser stores for the console; one that stores nothing works until the page is closed. */

export function safely<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

export const readStored = <T,>(key: string, storage?: Storage): T | null =>
  safely(() => JSON.parse((storage ?? localStorage).getItem(key) ?? "null") as T | null, null);

/** Stores a value, or with null nothing; returns whether that was possible. */
export const writeStored = (key: string, value: unknown, storage?: Storage): boolean =>
  safely(() => {
    const place = storage ?? localStorage;
    if (value === null) place.removeItem(key);
    else place.setItem(key, JSON.stringify(value));
    return true;
  }, false);
