import { Check, Copy } from "lucide-react";
import { useState } from "react";

import { useText } from "../i18n/texts";
import { Button } from "./Button";

const SAID_MS = 2_000;

/** Copies a text; `name` says which one to those who do not see where it stands. */
export function CopyButton({ text, name }: { text: string; name?: string }) {
  const t = useText();
  const [isCopied, setCopied] = useState(false);
  async function copy() {
    await copyText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SAID_MS);
  }
  const said = isCopied ? t("action.copied") : t("action.copy");
  return (
    <Button kind="quiet" aria-label={name ? `${said}: ${name}` : said} onPress={() => void copy()}>
      {isCopied ? <Check size={16} /> : <Copy size={16} />}
    </Button>
  );
}

/** On plain http, away from localhost, browsers offer no clipboard but what is selected. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  // Within the dialog, where there is one: it keeps the focus to itself.
  (document.activeElement?.closest("[role=dialog]") ?? document.body).append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
