/** How a content can be shown here, by its type, and by its name where the type says nothing. */

import { isText, mediaType } from "@guildhall/console/ui/sizes";

export type PreviewKind =
  | "markdown"
  | "json"
  | "table"
  | "text"
  | "code"
  | "html"
  | "image"
  | "pdf"
  | "word"
  | "sheet"
  | "slides"
  | "audio"
  | "video"
  | "none";

const OFFICE = "application/vnd.openxmlformats-officedocument.";
const KINDS: Record<string, PreviewKind> = {
  "text/markdown": "markdown",
  "text/csv": "table",
  "text/tab-separated-values": "table",
  "text/html": "html",
  "application/xhtml+xml": "html",
  "application/json": "json",
  "application/pdf": "pdf",
  "image/png": "image",
  "image/jpeg": "image",
  "image/gif": "image",
  "image/webp": "image",
  "image/avif": "image",
  "image/bmp": "image",
  "image/svg+xml": "code",
  [`${OFFICE}wordprocessingml.document`]: "word",
  [`${OFFICE}wordprocessingml.template`]: "word",
  "application/vnd.ms-word.document.macroenabled.12": "word",
  [`${OFFICE}spreadsheetml.sheet`]: "sheet",
  [`${OFFICE}spreadsheetml.template`]: "sheet",
  "application/vnd.ms-excel.sheet.macroenabled.12": "sheet",
  [`${OFFICE}presentationml.presentation`]: "slides",
  [`${OFFICE}presentationml.slideshow`]: "slides",
  [`${OFFICE}presentationml.template`]: "slides",
  "application/vnd.ms-powerpoint.presentation.macroenabled.12": "slides",
};
/** Types that say nothing. */
const VAGUE = new Set(["", "application/octet-stream", "binary/octet-stream", "application/zip", "application/x-zip-compressed"]);
const ENDINGS: Record<string, PreviewKind> = {
  ...endings("markdown", "md markdown"),
  ...endings("table", "csv tsv"),
  ...endings("html", "html htm xhtml"),
  ...endings("json", "json geojson ipynb"),
  ...endings("pdf", "pdf"),
  ...endings("image", "png jpg jpeg gif webp avif bmp"),
  ...endings("word", "docx docm dotx"),
  ...endings("sheet", "xlsx xlsm xltx"),
  ...endings("slides", "pptx pptm potx ppsx"),
  ...endings("audio", "mp3 m4a ogg oga wav flac opus aac"),
  ...endings("video", "mp4 webm ogv mov m4v"),
  ...endings("text", "txt text log"),
};
/** What programs call plain text, though its name says more. */
const WRITTEN = new Set<PreviewKind>(["markdown", "table", "json"]);
const CODE = new Set(
  (
    "py js mjs cjs ts tsx jsx css scss sql sh bash bat ps1 c h cpp hpp cs java kt go rs rb php swift lua r pl xml svg yaml yml toml ini cfg conf " +
    "properties jsonl ndjson diff patch tf dockerfile makefile gradle vue svelte scala dart ex exs hs"
  ).split(" "),
);

function endings(kind: PreviewKind, names: string): Record<string, PreviewKind> {
  return Object.fromEntries(names.split(" ").map((name) => [name, kind]));
}

export const endingOf = (filename: string): string => /(?:\.|^)([A-Za-z0-9]+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";

export function kindOf(contentType: string, filename: string): PreviewKind {
  const type = mediaType(contentType);
  const ending = endingOf(filename);
  const known = KINDS[type];
  if (known) return known;
  if (type.startsWith("audio/")) return "audio";
  if (type.startsWith("video/") && type !== "video/mp2t") return "video";
  if (CODE.has(ending) && (isText(type) || VAGUE.has(type))) return "code";
  if (VAGUE.has(type)) return ENDINGS[ending] ?? "none";
  if (!isText(type)) return CODE.has(ending) && type.startsWith("application/") ? "code" : "none";
  const named = ENDINGS[ending];
  if (type === "text/plain") return named && WRITTEN.has(named) ? named : "text";
  return type.startsWith("application/") ? "code" : "text";
}
