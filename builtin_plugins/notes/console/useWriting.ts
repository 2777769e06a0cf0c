import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";

import { useIsAway } from "@guildhall/console/api/connection";
import { Problem, Unreachable } from "@guildhall/console/api/problem";
import { writeDraft } from "@guildhall/console/drafts/store";
import { useDraft } from "@guildhall/console/drafts/useDraft";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { sessions } from "@guildhall/console/session/store";
import { showAttachments } from "./attachments";
import { createNote, readVersion, updateNote } from "./calls";
import { beginNew, keptAs } from "./newNotes";
import { beginningOf, creationIn, encodeDraft, isSameTyped, type Creation } from "./noteDraft";
import { noteKey } from "./useNote";
import { useAutosave } from "./useAutosave";
import { EMPTY, fieldsOf, isNewer, isSame, joinFields, type Fields, type Version } from "./version";

export type Phase = "idle" | "saving" | "away";

const FIRST_WAIT_MS = 1_000;
const BUSY_MS = 100;
/** An editor hands out what is typed in a longer text when the writer pauses. */
const LONG = 20_000;
const LONGEST_WAIT_MS = 15_000;
/** Answers of what stands before a server that is away. */
const AWAY = new Set([502, 503, 504]);

/** Another page, or this one before, sent the same and waits for the answer. */
const ASKING = "idempotency_conflict";

const isAway = (cause: unknown) =>
  cause instanceof Unreachable || (cause instanceof Problem && (AWAY.has(cause.status) || cause.code === ASKING));

/** Of a new note that was left while it was saved, what was typed meanwhile is a draft of the note that it is now. */
function keepLeft(userId: string, mine: Fields, saved: Version): void {
  if (isSame(mine, saved.note)) return;
  writeDraft(userId, `note.${saved.note.id}`, { text: encodeDraft(mine, saved), base: saved.etag, at: Date.now() });
}

/**
 * What is typed in a note, until and after it is saved. `current` is what the server has, null for a new note, which
 * is kept under `address` until then; `onMoved` tells under which id it goes on. Who may not write it any more saves
 * nothing by a pause.
 */
export function useWriting(address: string, current: Version | null, mayWrite: boolean, onMoved: (id: string) => void) {
  const may = useMay();
  const acrossCompany = may("org:read");
  const client = useQueryClient();
  const { user, team } = useIdentity();
  const [id, setId] = useState(current?.note.id ?? null);
  const [newId, setNewId] = useState(address);
  // Another tab writes another note at this address: this one goes on as one of its own.
  const split = () => {
    const own = beginNew();
    if (!isBusy.current) creation.current = null;
    setNewId(own);
    onMoved(own);
  };
  const draft = useDraft(id ? `note.${id}` : keptAs(team.id, newId), id ? undefined : split, isSameTyped);
  const [beginning] = useState(() => ({ ...beginningOf(current, draft.found, EMPTY), creation: current ? null : creationIn(draft.found, Date.now()) }));
  const [mine, setMine] = useState(beginning.mine);
  const [base, setBase] = useState(beginning.base);
  const [draftedAt, setDraftedAt] = useState(beginning.draftedAt);
  const [phase, setPhase] = useState<Phase>("idle");
  const [problem, setProblem] = useState<unknown>(null);
  const [conflict, setConflict] = useState<Version | null>(null);
  const isDirty = !isSame(mine, base?.note ?? EMPTY);

  /** What is true now, for a key that saves before what was typed is drawn. */
  const latest = useRef({ mine, base });
  const failures = useRef(0);
  const isBusy = useRef(false);
  const isWantedAgain = useRef(false);
  const [again, setAgain] = useState(0);
  /** What was typed last that no pause has saved yet. */
  const typed = useRef<Fields | null>(null);
  /** How often something was typed here. */
  const times = useRef(0);
  /** A creation whose answer is not known, also to who left this note meanwhile and comes back. */
  const creation = useRef<Creation | null>(beginning.creation);

  const write = useCallback((fields: Fields, over: Version | null) => {
    latest.current = { mine: fields, base: over };
    setMine(fields);
    setBase(over);
  }, []);
  const change = useCallback(
    (part: Partial<Fields>) => {
      typed.current = { ...latest.current.mine, ...part };
      times.current += 1;
      write(typed.current, latest.current.base);
    },
    [write],
  );

  useEffect(() => {
    if (isDirty) draft.keep(() => encodeDraft(mine, base, creation.current), base?.etag ?? null);
    else draft.drop();
  }, [isDirty, mine, base, draft]);
  const expectAnswer = useCallback(
    (sent: Creation | null) => {
      creation.current = sent;
      draft.keep(() => encodeDraft(latest.current.mine, null, creation.current), null);
    },
    [draft],
  );

  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  // What an editor hands out as it goes is not drawn any more: kept all the same.
  const keepLast = useRef(() => {});
  keepLast.current = () => {
    const { mine: last, base: over } = latest.current;
    if (last !== mine && !isSame(last, over?.note ?? EMPTY)) draft.keep(() => encodeDraft(last, over, creation.current), over?.etag ?? null);
  };
  useEffect(() => () => keepLast.current(), []);

  // Only who may see it was changed, or somebody wrote the same: there is nothing to tell.
  useEffect(() => {
    if (!current || !base || !isNewer(current, base) || isBusy.current) return;
    if (isSame(current.note, base.note) || isSame(current.note, mine)) return write(latest.current.mine, current);
    // Nobody writes here: what somebody else saved is shown. A long text may hold more than was handed out.
    if (isSame(latest.current.mine, base.note) && mine.body.length < LONG) write(fieldsOf(current.note), current);
  }, [current, base, mine, write]);

  const settle = useCallback(
    (saved: Version, isNew: boolean) => {
      failures.current = 0;
      creation.current = null;
      // An answer under way may be older than this.
      void client.cancelQueries({ queryKey: noteKey(saved.note.id) }, { revert: false });
      client.setQueryData(noteKey(saved.note.id), saved);
      void client.invalidateQueries({ queryKey: ["notes"] });
      const isWhole = isSame(latest.current.mine, saved.note);
      if (isNew || (!isHere.current && isWhole)) draft.drop();
      if (isNew) keepLeft(user.id, latest.current.mine, saved);
      const { base: over } = latest.current;
      if (over && over.note.visibility !== saved.note.visibility) void showAttachments(saved.note).catch(() => undefined);
      if (isNew && !isHere.current) return;
      write(latest.current.mine, saved);
      setId(saved.note.id);
      setDraftedAt(null);
      setPhase("idle");
      if (isNew) onMoved(saved.note.id);
    },
    [client, draft, onMoved, user.id, write],
  );

  const saveOnce = useCallback(async (isAutosave: boolean): Promise<void> => {
    const { mine: sent, base: over } = latest.current;
    try {
      if (over) return settle(await updateNote(over, sent, isAutosave), false);
      const { key, fields } = creation.current ?? { key: crypto.randomUUID(), fields: sent };
      if (!creation.current) expectAnswer({ key, fields, at: Date.now() });
      isWantedAgain.current ||= !isSame(fields, sent);
      return settle(await createNote(fields, key), true);
    } catch (cause) {
      if (!(over && cause instanceof Problem && cause.status === 412)) throw cause;
    }
    const theirs = await readVersion(over.note.id, acrossCompany);
    // The same: the answer to an earlier try was lost, and it is saved.
    if (isSame(theirs.note, sent)) return settle(theirs, false);
    setConflict(theirs);
    setPhase("idle");
  }, [acrossCompany, expectAnswer, settle]);

  const save = useCallback(async (isAutosave = false): Promise<void> => {
    typed.current = null;
    isWantedAgain.current = isBusy.current;
    if (isBusy.current || isSame(latest.current.mine, latest.current.base?.note ?? EMPTY)) return;
    isBusy.current = true;
    setPhase("saving");
    setProblem(null);
    try {
      await saveOnce(isAutosave);
    } catch (cause) {
      if (isAway(cause)) failures.current += 1;
      else {
        if (isHere.current && creation.current) expectAnswer(null);
        creation.current = null;
        setProblem(cause);
      }
      setPhase(isAway(cause) ? "away" : "idle");
    } finally {
      isBusy.current = false;
      // What is drawn of the end may be drawn before it is one.
      if (isWantedAgain.current) setAgain((times) => times + 1);
    }
  }, [expectAnswer, saveOnce]);

  const isServerAway = useIsAway();
  useEffect(() => {
    if (phase === "idle" && isWantedAgain.current && !isBusy.current && problem === null && conflict === null) void save();
    // What was to be saved when the server was away is saved when it is back.
    if (phase !== "away" || isServerAway) return;
    const timer = setTimeout(() => void save(), Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures.current - 2)));
    return () => clearTimeout(timer);
  }, [phase, again, problem, conflict, save, isServerAway]);

  const isFree = mayWrite && conflict === null;
  useAutosave(mine, isFree && isDirty && phase === "idle", () => {
    if (isFree && sessions.current && !isBusy.current && typed.current?.title.trim()) void save(true);
  });

  /** Goes on from what somebody else saved. */
  const goOn = (fields: Fields, theirs: Version | null) => {
    write(fields, theirs);
    setConflict(null);
    setDraftedAt(null);
    setProblem(null);
  };
  return {
    mine, base, isDirty, phase, problem, conflict, draftedAt, change, save: () => save(),
    /** The note as it is saved, which it is first: what stands with it needs its name. */
    saved: async (untitled: string): Promise<Version | null> => {
      if (latest.current.mine.title.trim() === "") change({ title: untitled });
      if (!latest.current.base) await save(true);
      // It may be on its way already.
      while (isBusy.current) await new Promise((resolve) => setTimeout(resolve, BUSY_MS));
      return latest.current.base;
    },
    times: times.current,
    isDraftRefused: draft.isRefused,
    /** Whether somebody else changed the text since it was opened or saved here. */
    isOutrun:
      current !== null && base !== null && isNewer(current, base) && phase !== "saving" && !isSame(current.note, base.note),
    /** Shows mine beside theirs. */
    compare: setConflict,
    /** Lets mine go for what the server has; gives back the way back. */
    take: (theirs: Version | null): (() => void) => {
      const { mine: lost, base: over } = latest.current;
      goOn(theirs ? fieldsOf(theirs.note) : EMPTY, theirs);
      return () => write(lost, over);
    },
    /** Saves mine over theirs. */
    insist: (theirs: Version) => {
      goOn(latest.current.mine, theirs);
      void save();
    },
    /** Saves what both were joined into. */
    join: (theirs: Version, body: string) => {
      goOn(joinFields(latest.current.base?.note ?? EMPTY, latest.current.mine, theirs.note, body), theirs);
      void save();
    },
  };
}

export type Writing = ReturnType<typeof useWriting>;
