import { CircleCheck, CircleDashed, CloudOff, LoaderCircle } from "lucide-react";
import { Suspense, useCallback, useDeferredValue, useEffect, useRef } from "react";

import { Problem, Unreachable } from "@guildhall/console/api/problem";
import { useSaveKey, useWarning } from "@guildhall/console/drafts/writing";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Conflict } from "@guildhall/console/ui/Conflict";
import { lazyPart } from "@guildhall/console/ui/lazyPart";
import { Markdown } from "@guildhall/console/ui/Markdown";
import { usePlace } from "@guildhall/console/ui/place";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { Select } from "@guildhall/console/ui/Select";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { attach } from "./attachments";
import { NoteBar } from "./NoteBar";
import { NoteEditors } from "./NoteEditors";
import { NoteFacts } from "./NoteFacts";
import { NoteNotice } from "./NoteNotice";
import styles from "./NotePane.module.css";
import { useView, ViewSwitch } from "./ViewSwitch";
import { useEditors } from "./useEditors";
import { useWriting, type Writing } from "./useWriting";
import type { Version, Visibility } from "./version";

// The editor is much code: a note is there before it.
const NoteText = lazyPart(() => import("./text/NoteText"));

interface NoteWritingProps {
  /** Of a new note, what its draft is called. */
  id: string;
  current: Version | null;
  isGone: boolean;
  /** Not any more, perhaps. */
  mayWrite: boolean;
  onMoved: (id: string) => void;
  onClose: () => void;
}

/** A note to write in: title, text and preview, and how far it is saved. */
export function NoteWriting({ id, current, isGone, mayWrite, onMoved, onClose }: NoteWritingProps) {
  const t = useText();
  const writing = useWriting(id, current, mayWrite, onMoved);
  const { mine, change, save, problem, conflict } = writing;
  const [view, setView] = useView(usePlace()?.heading !== undefined);
  const preview = useDeferredValue(mine.body);
  const title = useRef<HTMLInputElement>(null);
  const isNew = current === null;
  const mayChoose = isNew || current.note.permissions.includes("notes:manage");
  useEffect(() => {
    if (isNew) title.current?.focus();
  }, []);
  useSaveKey(save);
  useWarning(writing.isDraftRefused && writing.isDirty);
  const { saved } = writing;
  const onFile = useCallback(
    async (file: File) => {
      const version = await saved(t("notes.untitled"));
      if (!version) throw new Unreachable();
      return attach(version.note, file);
    },
    [saved, t],
  );
  const editors = useEditors(isGone ? null : (current?.note.id ?? null), mayWrite ? writing.times : 0);
  const fault = (pointer: string) => (problem instanceof Problem ? problem.at(pointer) : undefined);
  return (
    <>
      <NoteBar note={current?.note ?? null} onClose={onClose}>
        {!conflict && (
          <>
            <ViewSwitch view={view} onChange={setView} />
            {mayWrite && (
              <Button isDisabled={!writing.isDirty} onPress={() => void save()}>
                {t("action.save")}
              </Button>
            )}
          </>
        )}
      </NoteBar>
      {!mayWrite && !isGone && <NoteNotice text={t("state.write_lost")} />}
      <WritingNotices writing={writing} current={current} isGone={isGone} />
      {problem !== null && <ProblemNotice problem={problem} onRetry={() => void save()} />}
      <input
        ref={title}
        className={styles.title}
        dir="auto"
        aria-label={t("notes.title")}
        aria-invalid={fault("/title") ? true : undefined}
        aria-describedby={fault("/title") ? "note-title-fault" : undefined}
        placeholder={t("notes.title")}
        maxLength={300}
        value={mine.title}
        onChange={(event) => change({ title: event.target.value })}
      />
      {fault("/title") && (
        <p id="note-title-fault" className={styles.fault}>
          {fault("/title")}
        </p>
      )}
      <div className={styles.line}>
        {mayChoose && (
          <Select
            isLabelHidden
            label={t("visibility.label")}
            options={[
              { id: "private", name: t("visibility.private") },
              { id: "team", name: t("visibility.team") },
            ]}
            value={mine.visibility}
            onChange={(id) => change({ visibility: id as Visibility })}
          />
        )}
        {current && <NoteFacts note={current.note} isSeenBeside={mayChoose} />}
        <SavedState writing={writing} />
      </div>
      <NoteEditors editors={editors} />
      {conflict ? (
        <Clash writing={writing} theirs={conflict} />
      ) : (
        <div className={styles.split} data-view={view}>
          <div className={styles.editor}>
            <Suspense fallback={<SkeletonRows count={4} />}>
              <NoteText
                label={t("notes.body")}
                value={mine.body}
                onChange={(body) => change({ body })}
                isInvalid={Boolean(fault("/body"))}
                isFormatted={view === "write"}
                onFile={onFile}
              />
            </Suspense>
          </div>
          {view !== "write" && (
            <section className={styles.preview} aria-label={t("notes.preview")} tabIndex={0}>
              <Markdown text={preview} />
            </section>
          )}
        </div>
      )}
      {fault("/body") && <p className={styles.fault}>{fault("/body")}</p>}
    </>
  );
}

/** A save that came too late, in the place of the text. */
function Clash({ writing, theirs }: { writing: Writing; theirs: Version }) {
  const t = useText();
  const announce = useAnnounce();
  const { mine, base } = writing;
  const fields = [
    { name: t("notes.title"), mine: mine.title, theirs: theirs.note.title },
    { name: t("visibility.label"), mine: t(`visibility.${mine.visibility}`), theirs: t(`visibility.${theirs.note.visibility}`) },
  ];
  return (
    <div className={styles.clash}>
      <Conflict
        thing={`note.${theirs.note.id}`}
        mine={mine.body}
        theirs={theirs.note.body}
        base={base?.note.body ?? null}
        fields={fields.filter((field) => field.mine !== field.theirs)}
        onKeepMine={() => writing.insist(theirs)}
        onTakeTheirs={() => {
          announce(t("conflict.took_theirs"), writing.take(theirs));
        }}
        onJoin={(body) => writing.join(theirs, body)}
      />
    </div>
  );
}

interface WritingNoticesProps {
  writing: Writing;
  current: Version | null;
  isGone: boolean;
}

function WritingNotices({ writing, current, isGone }: WritingNoticesProps) {
  const t = useText();
  const announce = useAnnounce();
  const takeCurrent = () => {
    const bringBack = writing.take(current);
    if (writing.isDirty) announce(t("notes.draft_dropped"), bringBack);
  };
  return (
    <>
      {isGone && <NoteNotice text={t("notes.gone")} />}
      {writing.isDraftRefused && writing.isDirty && <NoteNotice text={t("notes.draft_refused")} />}
      {writing.draftedAt !== null && writing.isDirty && !writing.conflict && (
        <NoteNotice text={t("notes.draft_found")} at={new Date(writing.draftedAt).toISOString()}>
          <Button onPress={takeCurrent}>{t(current ? "notes.draft_drop" : "notes.draft_drop_new")}</Button>
        </NoteNotice>
      )}
      {current && writing.isOutrun && !writing.conflict && (
        <NoteNotice text={t(writing.isDirty ? "conflict.title" : "notes.changed")} at={current.note.updated_at}>
          {writing.isDirty ? (
            <Button onPress={() => writing.compare(current)}>{t("conflict.look")}</Button>
          ) : (
            <Button onPress={takeCurrent}>{t("notes.show_new")}</Button>
          )}
        </NoteNotice>
      )}
    </>
  );
}

function SavedState({ writing: { isDirty, phase, base, mine } }: { writing: Writing }) {
  const t = useText();
  const [Icon, words] =
    phase === "saving"
      ? [LoaderCircle, t("state.saving")]
      : isDirty
        ? [phase === "away" ? CloudOff : CircleDashed, `${t("state.unsaved")}${mine.title.trim() ? "" : `. ${t("notes.needs_title")}`}`]
        : [CircleCheck, base ? t("state.saved") : ""];
  return (
    <span role="status" className={styles.state} title={isDirty ? t("state.draft_kept") : undefined}>
      {words && <Icon size={16} aria-hidden="true" />}
      {words}
    </span>
  );
}
