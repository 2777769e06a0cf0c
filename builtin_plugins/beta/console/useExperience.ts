import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { dropDraft, readDraft, writeDraft } from "@guildhall/console/drafts/store";
import { useIdentity } from "@guildhall/console/session/identity";
import { DRAFT_KEY, keptAs, loadDraft, publishDraft, saveDraft } from "./draft";
import { documentOf, isSame, type Document, type Draft } from "./experience";

/** The team's draft as it is edited: kept on this device until it is saved, never saved over somebody else's. */
export function useExperience() {
  const { user, team } = useIdentity();
  const client = useQueryClient();
  const thing = keptAs(team.id);
  const saved = useQuery({ queryKey: DRAFT_KEY, queryFn: loadDraft, staleTime: Infinity });
  const [edited, setEdited] = useState<Document | null>(null);
  const [base, setBase] = useState(0);
  useEffect(() => {
    if (!saved.data || edited) return;
    const kept = readDraft(user.id, thing);
    setEdited(kept ? (JSON.parse(kept.text) as Document) : documentOf(saved.data));
    setBase(kept?.base ? Number(kept.base) : saved.data.version);
  }, [saved.data, edited, user.id, thing]);

  const keep = useCallback(
    (document: Document, over: number) =>
      writeDraft(user.id, thing, { text: JSON.stringify(document), base: String(over), at: Date.now() }),
    [user.id, thing],
  );
  /** It is saved; what was typed since it was `sent` goes on over what was saved. */
  const settle = useCallback(
    (draft: Draft, sent: Document | null) => {
      client.setQueryData(DRAFT_KEY, draft);
      setBase(draft.version);
      setEdited((now) => {
        if (sent && now && !isSame(now, sent)) {
          keep(now, draft.version);
          return now;
        }
        dropDraft(user.id, thing);
        return documentOf(draft);
      });
    },
    [client, user.id, thing, keep],
  );
  /** What is true now, for what is undone after this was left. */
  const latest = useRef({ edited, base });
  latest.current = { edited, base };
  const change = useCallback(
    (part: Partial<Document>) => {
      const { edited: before, base: over } = latest.current;
      if (!before) return;
      const next = { ...before, ...part };
      latest.current.edited = next;
      keep(next, over);
      setEdited(next);
    },
    [keep],
  );
  const save = useMutation({
    mutationFn: async (version: number) => {
      const sent = edited as Document;
      return { draft: await saveDraft(sent, version), sent };
    },
    onSuccess: ({ draft, sent }) => settle(draft, sent),
  });
  const publish = useMutation({
    mutationFn: async () => {
      const draft = saved.data && edited && isSame(saved.data, edited) && base > 0 ? saved.data : (await save.mutateAsync(base)).draft;
      return publishDraft(draft.version);
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["beta", "versions"] }),
  });
  // Somebody else saved meanwhile: what is published is what one sees, so that it is asked here too.
  const isStale = [save.error, publish.error].some((cause) => cause instanceof Problem && cause.code === "precondition_failed");
  const problem = isStale ? null : (save.error ?? publish.error);
  return {
    saved,
    edited,
    change,
    save,
    publish,
    problem,
    isStale,
    isDirty: Boolean(saved.data && edited && !isSame(saved.data, edited)),
    version: base,
    /** What somebody else saved takes the place of what was typed. */
    takeTheirs: async () => {
      settle(await loadDraft(), null);
      save.reset();
      publish.reset();
    },
    /** What was typed is saved over what somebody else saved. */
    keepMine: async () => {
      const { version } = await loadDraft();
      setBase(version);
      publish.reset();
      save.mutate(version);
    },
    fault: (pointer: string) => (problem instanceof Problem ? problem.at(pointer) : undefined),
  };
}

export type Experience = ReturnType<typeof useExperience>;
