/** What of an answer is better looked at beside it: diagrams, pages, tables and programs. */

export type ArtifactKind = "diagram" | "page" | "table" | "code";

export interface Artifact {
  kind: ArtifactKind;
  /** Of a program what it is written in. */
  language: string;
  text: string;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([\w+#.-]*)[^`]*$/;
const DIVIDER = /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$/;
/** Shorter programs are read where they stand. */
const MIN_LINES = 6;
const MAX_ARTIFACTS = 20;

/** The artifacts of an answer, in their order; what is not closed yet is none. */
export function artifactsOf(text: string): Artifact[] {
  const found: Artifact[] = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length && found.length < MAX_ARTIFACTS; at += 1) {
    const [, fence, language = ""] = FENCE.exec(lines[at]!) ?? [];
    if (fence) {
      const end = lines.findIndex((line, number) => number > at && line.trim().startsWith(fence) && line.trim().replaceAll(fence[0]!, "") === "");
      if (end < 0) break;
      const artifact = programOf(language.toLowerCase(), lines.slice(at + 1, end));
      if (artifact) found.push(artifact);
      at = end;
    } else if (DIVIDER.test(lines[at]!) && lines[at - 1]?.includes("|")) {
      const begin = at - 1;
      while (lines[at + 1]?.includes("|")) at += 1;
      found.push({ kind: "table", language: "", text: lines.slice(begin, at + 1).join("\n") });
    }
  }
  return found;
}

function programOf(language: string, lines: readonly string[]): Artifact | null {
  const text = lines.join("\n");
  if (text.trim() === "") return null;
  if (language === "mermaid") return { kind: "diagram", language, text };
  if (language === "html") return { kind: "page", language, text };
  return lines.length >= MIN_LINES ? { kind: "code", language, text } : null;
}

/** A table of Markdown as CSV. */
export function csvOf(table: string): string {
  const rows = table.split("\n").filter((line) => !DIVIDER.test(line));
  return rows.map((row) => cellsOf(row).map(quoted).join(",")).join("\r\n");
}

function cellsOf(row: string): string[] {
  const bare = row.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

/** A cell that a spreadsheet would take for a formula is a text. */
function quoted(cell: string): string {
  const safe = /^[=+@\t]|^-(?!\d)/.test(cell) ? `'${cell}` : cell;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
