import { useCallback, useState } from "react";

import { dropDraft, readDraft, writeDraft } from "@guildhall/console/drafts/store";
import { useIdentity } from "@guildhall/console/session/identity";
import type { Message } from "./messages";

export interface DraftText {
  text: string;
  setText: (text: string) => void;
  /** Whether what is shown was typed here before and never submitted. */
  isKept: boolean;
  /** Whether somebody changed the message since it was typed. */
  isOutdated: boolean;
  forget: () => void;
}

/** The text of a translation as one types it, kept on this device until it is submitted. */
export function useDraftText(message: Message): DraftText {
  const { user } = useIdentity();
  const thing = `l10n.${message.id}`;
  const stands = message.text ?? "";
  const [draft, setDraft] = useState(() => readDraft(user.id, thing));
  // The version that was read when this was opened, not one that came in beside what is typed.
  const [base] = useState(String(message.version));
  const [text, write] = useState(draft?.text ?? stands);
  const setText = useCallback(
    (typed: string) => {
      write(typed);
      if (typed === stands) dropDraft(user.id, thing);
      else writeDraft(user.id, thing, { text: typed, base, at: Date.now() });
    },
    [user.id, thing, stands, base],
  );
  const forget = useCallback(() => {
    dropDraft(user.id, thing);
    setDraft(null);
    write(stands);
  }, [user.id, thing, stands]);
  const isKept = draft !== null && draft.text !== stands;
  return { text, setText, isKept, isOutdated: isKept && draft.base !== String(message.version), forget };
}
