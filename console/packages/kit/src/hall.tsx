/** What a screen stands in: who looks at it, calls of the API, and how it speaks to them. */

import { createContext, Suspense, useCallback, useContext, useMemo, useState, type ReactNode } from "react";
import { useLocation } from "wouter";

import { callRow, uploadTo } from "./api/rows";
import { useTexts, type Translate } from "./i18n/texts";
import { useIdentity, type Identity } from "./session/identity";
import type { Asked, Question } from "./ui/Confirmation";
import { lazyPart } from "./ui/lazyPart";
import { formatSize } from "./ui/sizes";
import { relativeTime } from "./ui/Time";
import { useAnnounce, type Announce } from "./ui/Toasts";

/** Calls of rows by their paths; a refusal is thrown as a `Problem`. */
export interface Client {
  get: <Answer>(path: string) => Promise<Answer>;
  post: <Answer>(path: string, body?: unknown) => Promise<Answer>;
  put: <Answer>(path: string, body?: unknown) => Promise<Answer>;
  patch: <Answer>(path: string, body?: unknown) => Promise<Answer>;
  delete: (path: string) => Promise<void>;
  /** Sends a file as it is. */
  upload: <Answer>(path: string, file: File, method?: "POST" | "PUT") => Promise<Answer>;
}

export interface Hall {
  caller: Identity;
  team: Identity["team"];
  client: Client;
  navigate: (path: string) => void;
  /** Says what was done, with a way back where there is one. */
  toast: Announce;
  /** Asks before something is done; false where it is left. */
  confirm: (question: Question) => Promise<boolean>;
  t: Translate;
  format: { number: (figure: number) => string; size: (bytes: number) => string; date: (at: string) => string; ago: (at: string) => string };
}

const call = <Answer,>(method: string, path: string, body?: unknown) => callRow({ method, path, ...(body !== undefined && { body }) }) as Promise<Answer>;

const client: Client = {
  get: (path) => call("GET", path),
  post: (path, body) => call("POST", path, body),
  put: (path, body) => call("PUT", path, body),
  patch: (path, body) => call("PATCH", path, body),
  delete: async (path) => void (await call("DELETE", path)),
  upload: (path, file, method = "PUT") => uploadTo({ method, path }, file) as Promise<never>,
};

// Dialogs are much code: this one is loaded when something asks first.
const Confirmation = lazyPart(() => import("./ui/Confirmation"));

type Confirm = Hall["confirm"];
const ConfirmContext = createContext<Confirm | null>(null);

/** Has the dialog in which screens ask. */
export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const confirm = useCallback<Confirm>((question) => new Promise((answer) => setAsked({ ...question, answer })), []);
  return (
    <ConfirmContext value={confirm}>
      {children}
      <Suspense fallback={null}>{asked && <Confirmation asked={asked} onDone={() => setAsked(null)} />}</Suspense>
    </ConfirmContext>
  );
}

export function useHall(): Hall {
  const caller = useIdentity();
  const toast = useAnnounce();
  const confirm = useContext(ConfirmContext);
  const [, navigate] = useLocation();
  const { t, locale } = useTexts();
  if (!confirm) throw new Error("useHall outside of the console");
  const format = useMemo(() => {
    const number = new Intl.NumberFormat(locale);
    const date = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
    return {
      number: (figure: number) => number.format(figure),
      size: (bytes: number) => formatSize(bytes, locale),
      date: (at: string) => date.format(new Date(at)),
      ago: (at: string) => relativeTime(new Date(at), new Date(), locale),
    };
  }, [locale]);
  return useMemo(() => ({ caller, team: caller.team, client, navigate, toast, confirm, t, format }), [caller, navigate, toast, confirm, t, format]);
}
