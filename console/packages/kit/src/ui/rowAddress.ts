/** The row of a long list in the fragment of an address. */

const ROW = /^#row=(\d{1,7})$/;

/** Gives the row that a fragment names, 0 where it names none. */
export const rowOfAddress = (hash: string): number => Number(ROW.exec(hash)?.[1] ?? 0);

/** Gives the address with the row in it; the first one is not worth naming. */
export function addressOfRow(href: string, row: number): string {
  const url = new URL(href);
  if (url.hash && !ROW.test(url.hash)) return href;
  url.hash = row > 0 ? `row=${row}` : "";
  return url.href;
}
