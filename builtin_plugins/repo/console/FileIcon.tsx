import { File, FileCode, FileImage, FileJson, FileMusic, FilePlay, FileSpreadsheet, FileText, Folder, Presentation, type LucideIcon } from "lucide-react";

import type { StoredObject } from "./objects";
import { kindOf, type PreviewKind } from "./preview/kinds";
import type { Entry } from "./tree";

const ICONS: Record<PreviewKind, LucideIcon> = {
  markdown: FileText,
  text: FileText,
  pdf: FileText,
  word: FileText,
  html: FileCode,
  code: FileCode,
  json: FileJson,
  table: FileSpreadsheet,
  sheet: FileSpreadsheet,
  slides: Presentation,
  image: FileImage,
  audio: FileMusic,
  video: FilePlay,
  none: File,
};

/** What kind of file it is, at a glance. */
export function FileIcon({ object, size = 16 }: { object: StoredObject; size?: number }) {
  const Icon = ICONS[kindOf(object.content_type, object.filename)];
  return <Icon size={size} strokeWidth={size > 24 ? 1.25 : 2} aria-hidden="true" />;
}

export function EntryIcon({ entry, size = 16 }: { entry: Entry; size?: number }) {
  return entry.kind === "folder" ? <Folder size={size} strokeWidth={size > 24 ? 1.25 : 2} aria-hidden="true" /> : <FileIcon object={entry.object} size={size} />;
}
