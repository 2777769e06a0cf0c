/** The words of a program by what they are, near enough to be coloured: no grammar, and no time lost on long lines. */

export type TokenKind = "comment" | "string" | "number" | "word" | "plain";

export interface Token {
  kind: TokenKind;
  text: string;
}

const HASH = new Set("py rb sh bash r pl yaml yml toml ini cfg conf properties tf dockerfile makefile ex exs ps1".split(" "));
const DASHES = new Set(["sql", "lua", "hs"]);
const MARKUP = new Set(["xml", "svg", "html", "htm", "vue", "svelte"]);
const WORDS = new Set(
  (
    "abstract and as assert async await begin bool boolean break by case catch char class const continue create def default del delete do double elif else elsif end " +
    "enum export extends extern false final finally float fn for foreach from func function global go goto group if impl implements import in insert instanceof int " +
    "interface into is join lambda let long loop match mod module mut namespace new nil none not null of on or order override package pass private protected pub public " +
    "raise readonly ref return select self set short signed static str string struct super switch table then this throw throws trait true try type typeof union unless " +
    "unsigned update use using val values var void when where while with yield"
  ).split(" "),
);

const STRINGS = String.raw`"""[\s\S]*?(?:"""|$)|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|` + "`(?:[^`\\\\]|\\\\.)*`?";
const NUMBERS = String.raw`\b(?:0[xX][\da-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)\b`;
const NAMES = String.raw`[A-Za-z_$][\w$]*`;

function commentsOf(ending: string): string {
  if (MARKUP.has(ending)) return String.raw`<!--[\s\S]*?(?:-->|$)`;
  const block = String.raw`\/\*[\s\S]*?(?:\*\/|$)`;
  if (HASH.has(ending)) return "#[^\\n]*";
  return DASHES.has(ending) ? `--[^\\n]*|${block}` : String.raw`\/\/[^\n]*|${block}`;
}

export function tokensOf(text: string, ending: string): Token[] {
  const pattern = new RegExp(`(${commentsOf(ending)})|(${STRINGS})|(${NUMBERS})|(${NAMES})`, "g");
  const tokens: Token[] = [];
  let last = 0;
  const add = (kind: TokenKind, part: string) => {
    const before = tokens.at(-1);
    if (before?.kind === kind) before.text += part;
    else if (part) tokens.push({ kind, text: part });
  };
  for (const match of text.matchAll(pattern)) {
    const [whole, comment, quoted, number] = match;
    add("plain", text.slice(last, match.index));
    add(comment !== undefined ? "comment" : quoted !== undefined ? "string" : number !== undefined ? "number" : WORDS.has(whole) || WORDS.has(whole.toLowerCase()) && ending === "sql" ? "word" : "plain", whole);
    last = match.index + whole.length;
  }
  add("plain", text.slice(last));
  return tokens;
}
