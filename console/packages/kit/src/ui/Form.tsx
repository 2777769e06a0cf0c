import { createContext, useCallback, useContext, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState, type FormEvent, type ReactNode } from "react";
import { Form as AriaForm } from "react-aria-components";

import { useTexts } from "../i18n/texts";
import { faultWords } from "./faultWords";

interface Entry {
  /** Whether it has to be filled in and is not. */
  isMissing: boolean;
  /** The server's words about it, which are told here; also when it was changed since. */
  fault: string | undefined;
}

interface FormState {
  /** How often it was sent. */
  attempt: number;
  /** Whether it was to be sent while something was missing. */
  isIncomplete: boolean;
  /** What was said of which field. */
  told: ReadonlyMap<string, string>;
  register: (id: string, entry: Entry | null) => void;
}

const ALONE: FormState = { attempt: 0, isIncomplete: false, told: new Map(), register: () => undefined };
const FormContext = createContext<FormState>(ALONE);

export interface FormProps {
  /** What it is known by: `tests/console/test_forms.py` tries each once. */
  name: string;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  className?: string | undefined;
  children: ReactNode;
}

/** Fields that are sent together. What is missing or was refused is told at its field, and never keeps the next try. */
export function Form({ name, onSubmit, className, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const entries = useRef(new Map<string, Entry>());
  /** Where the focus was when it was sent; null once the first marked field has it. */
  const sentFrom = useRef<Element | null>(null);
  const [told, setTold] = useState<ReadonlyMap<string, string>>(ALONE.told);
  const [attempt, setAttempt] = useState(0);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const [isIncomplete, setIncomplete] = useState(false);
  const register = useCallback((id: string, entry: Entry | null) => {
    if (entry) entries.current.set(id, entry);
    else entries.current.delete(id);
    setTold((before) => withFault(before, id, entry?.fault));
  }, []);
  useEffect(() => {
    if (sentFrom.current && form.current && focusFirstMarked(form.current, sentFrom.current)) sentFrom.current = null;
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const isMissing = [...entries.current.values()].some((entry) => entry.isMissing);
    sentFrom.current = document.activeElement ?? document.body;
    setIncomplete(isMissing);
    // Drawn again also where the same is missing still: it gets the focus once more.
    redraw();
    if (isMissing) return;
    setAttempt((before) => before + 1);
    onSubmit(event);
  }
  const state = useMemo(() => ({ attempt, isIncomplete, told, register }), [attempt, isIncomplete, told, register]);
  return (
    <FormContext value={state}>
      <AriaForm ref={form} data-form={name} className={className ?? ""} validationBehavior="aria" onSubmit={submit}>
        {children}
      </AriaForm>
    </FormContext>
  );
}

/** Moves the focus to the first field that something is wrong with, if there is one; who went elsewhere meanwhile is left there. */
function focusFirstMarked(form: HTMLFormElement, from: Element): boolean {
  const marked = form.querySelector("[data-invalid]");
  if (!marked) return false;
  const { activeElement, body } = document;
  // A button that is pressed and waits has no focus.
  if (activeElement === from || activeElement === body) (marked.querySelector<HTMLElement>("input:not([type=hidden]), textarea") ?? marked.querySelector("button"))?.focus();
  return true;
}

function withFault(before: ReadonlyMap<string, string>, id: string, fault: string | undefined): ReadonlyMap<string, string> {
  if (before.get(id) === fault) return before;
  const after = new Map(before);
  if (fault === undefined) after.delete(id);
  else after.set(id, fault);
  return after;
}

export interface FieldState {
  label: string;
  value: string | null | undefined;
  isRequired?: boolean | undefined;
  /** What is wrong with it, in the server's own words. */
  fault?: string | undefined;
  /** What that is about, where it is one of several things in the field. */
  faultLabel?: string | undefined;
}

/** What is wrong with a field, in the reader's words and by its label; a refusal is gone once the field is changed. */
export function useFieldFault({ label, value, isRequired, fault, faultLabel }: FieldState): string | undefined {
  const { t } = useTexts();
  const id = useId();
  const { attempt, isIncomplete, register } = useContext(FormContext);
  const [refused, setRefused] = useState({ fault, attempt, value, isChanged: false });
  if (refused.fault !== fault || refused.attempt !== attempt) setRefused({ fault, attempt, value, isChanged: false });
  else if (refused.value !== value && !refused.isChanged) setRefused({ ...refused, isChanged: true });
  const current = refused.isChanged ? undefined : fault;
  const isMissing = Boolean(isRequired) && (value ?? "").trim() === "";
  useLayoutEffect(() => register(id, { isMissing, fault }), [register, id, isMissing, fault]);
  useLayoutEffect(() => () => register(id, null), [register, id]);
  if (isIncomplete && isMissing) return t("fault.missing", { label });
  return current === undefined ? undefined : faultWords(t, faultLabel ?? label, current);
}

/** The server's words that are told at fields of the form around this. */
export const useToldFaults = (): string[] => [...useContext(FormContext).told.values()];
