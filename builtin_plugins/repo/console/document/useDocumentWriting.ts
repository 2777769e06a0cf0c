import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { Problem } from "@guildhall/console/api/problem";
import { useDraft } from "@guildhall/console/drafts/useDraft";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { keepObject, loadObject, objectKey, type StoredObject } from "../objects";
import { loadText } from "../preview/content";
import { saveText, tagOf } from "./saving";

const STALE = 412;

/** What is typed over: a version's tag, and its text where that is at hand. */
interface Base {
  tag: string;
  text: string | null;
}

/** What somebody else saved, and what both began with, null where nobody knows that any more. */
export interface Other {
  object: StoredObject;
  text: string;
  began: string | null;
}

const isStale = (cause: unknown) => cause instanceof Problem && cause.status === STALE;

/** What is typed in a document, until and after it is saved. `opened` is the version that it began with. */
export function useDocumentWriting(object: StoredObject, opened: StoredObject, text: string) {
  const t = useText();
  const may = useMay();
  const announce = useAnnounce();
  const client = useQueryClient();
  const draft = useDraft(`file.${object.id}`);
  const found = draft.found && draft.found.text !== text ? draft.found : null;
  const newest: Base = { tag: tagOf(opened), text };
  const [value, setValue] = useState(found?.text ?? text);
  const [base, setBase] = useState<Base>(found?.base && found.base !== newest.tag ? { tag: found.base, text: null } : newest);
  const [isFromDraft, setFromDraft] = useState(found !== null);
  const [other, setOther] = useState<Other | null>(null);
  /** What is true now, for a key that saves before what was typed is drawn. */
  const latest = useRef({ value, base });

  function put(to: string, over: Base) {
    latest.current = { value: to, base: over };
    setValue(to);
    setBase(over);
    if (to === over.text) draft.drop();
    else draft.keep(to, over.tag);
  }
  /** Puts something else in the place of what was typed, with a way back. */
  function exchange(to: string, over: Base, words: string) {
    const { value: lost, base: before } = latest.current;
    put(to, over);
    setFromDraft(false);
    announce(words, () => put(lost, before));
  }

  const compare = useMutation({
    mutationFn: async () => {
      const theirs = await loadObject(object.id, may("org:read"));
      const theirText = await loadText(object.id, theirs.version);
      const over = latest.current.base;
      const old = theirs.versions.find((version) => tagOf(version) === over.tag);
      // Typed over an older version, before this page was opened: what it began with is looked up.
      const began = over.text ?? (old ? await loadText(object.id, old.version).catch(() => null) : null);
      return { object: theirs, text: theirText, began };
    },
    onSuccess: (theirs) => {
      save.reset();
      keepObject(client, theirs.object);
      if (theirs.text !== latest.current.value) return setOther(theirs);
      // The same: the answer to an earlier try was lost, and it is saved.
      put(theirs.text, { tag: tagOf(theirs.object), text: theirs.text });
      setFromDraft(false);
    },
  });
  const save = useMutation({
    mutationFn: ({ wanted, over }: { wanted: string; over: Base }) => saveText(object, wanted, over.tag),
    onSuccess: (stored, { wanted }) => {
      put(latest.current.value, { tag: tagOf(stored), text: wanted });
      setFromDraft(false);
      client.setQueryData(["file-text", object.id, stored.version], wanted);
      keepObject(client, stored);
      void client.invalidateQueries({ queryKey: objectKey(object.id) });
      announce(t("files.saved_version", { number: stored.version }));
    },
    onError: (cause) => {
      if (isStale(cause)) compare.mutate();
    },
  });
  const store = () => {
    const { value: wanted, base: over } = latest.current;
    if (wanted !== over.text && !save.isPending && !other) save.mutate({ wanted, over });
  };
  /** Goes on from what somebody else saved: a third change meanwhile is told against that. */
  const goOn = (wanted: string, theirs: Other) => {
    const over = { tag: tagOf(theirs.object), text: theirs.text };
    put(wanted, over);
    setOther(null);
    save.mutate({ wanted, over });
  };
  return {
    value, other, isFromDraft, store,
    isDirty: value !== base.text,
    isSaving: save.isPending || compare.isPending,
    isDraftRefused: draft.isRefused,
    /** Whether somebody else saved since. */
    isOutrun: tagOf(object) !== base.tag,
    problem: isStale(save.error) ? compare.error : (save.error ?? compare.error),
    change: (typed: string) => put(typed, latest.current.base),
    /** Shows mine beside theirs. */
    compare: () => compare.mutate(),
    discardDraft: () => exchange(text, newest, t("notes.draft_dropped")),
    insist: (theirs: Other) => goOn(latest.current.value, theirs),
    join: (theirs: Other, joined: string) => goOn(joined, theirs),
    take: (theirs: Other) => {
      setOther(null);
      exchange(theirs.text, { tag: tagOf(theirs.object), text: theirs.text }, t("conflict.took_theirs"));
    },
  };
}
