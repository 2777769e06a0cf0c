import { useMemo } from "react";

import { useText } from "../i18n/texts";
import { CodeBlock } from "../ui/CodeBlock";
import { useIdentity } from "../session/identity";
import { Panel } from "../ui/Panel";
import { readDraft, type Draft } from "./store";

/** What was typed about something that cannot be opened any more, to copy; nothing where nothing was typed. */
export function LeftDraft({ thing, textOf = ({ text }) => text }: { thing: string; textOf?: (draft: Draft) => string }) {
  const t = useText();
  const { user } = useIdentity();
  const draft = useMemo(() => readDraft(user.id, thing), [user.id, thing]);
  if (!draft) return null;
  return (
    <Panel title={t("state.draft_left")}>
      <CodeBlock text={textOf(draft)} name={t("state.draft_left")} />
    </Panel>
  );
}
