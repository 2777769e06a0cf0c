/** A conversation as it is kept: what was asked, what was answered, and what became of it. */

import type { ProblemBody } from "@guildhall/console/api/problem";

export interface Attachment {
  id: string;
  name: string;
}

export interface Artifact {
  kind: string;
  title: string;
  summary?: string;
  content_type?: string;
  object_id?: string;
  [extra: string]: unknown;
}

export interface Step {
  tool: string;
  arguments: unknown;
  result?: unknown;
  error?: { code: string; message: string };
  artifact?: Artifact;
  cut?: boolean;
}

/** An answer in the order in which it came: words, and the tools that were used between them. */
export type Part = { kind: "text"; text: string } | { kind: "step"; step: Step };

export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  estimated?: boolean;
}

export type TurnState = "answering" | "done" | "stopped" | "failed";

/** How an answer is asked for beside the question. */
export interface TurnSettings {
  /** What the model is told before everything else. */
  system: string;
  /** From 0 to 2; null for the model's own. */
  temperature: number | null;
  format: "text" | "json";
  /** What the JSON must look like, as a JSON Schema; empty for any. */
  schema: string;
}

export const NO_SETTINGS: TurnSettings = { system: "", temperature: null, format: "text", schema: "" };

export interface Turn {
  id: string;
  at: string;
  prompt: string;
  attachments: Attachment[];
  /** The tools that it may use: none, these, or those that the server picks. */
  tools: "none" | "any" | string[];
  executor: string | null;
  settings?: TurnSettings;
  parts: Part[];
  state: TurnState;
  /** The server's job that answers it, by which another page takes it up. */
  job?: string;
  reasoning?: string;
  usage?: Usage;
  model?: string;
  simulated?: boolean;
  /** Which limit ended it: `length` for the tokens of an answer, else one of the agent's. */
  limit?: string;
  problem?: { body: ProblemBody; retryAfter: number | null };
}

export interface Conversation {
  id: string;
  title: string;
  at: string;
  turns: Turn[];
}

const LONGEST_TITLE = 60;
/** What goes along of earlier turns, newest first: more would cost with every question. */
export const MAX_HISTORY_CHARACTERS = 60_000;
const MAX_HISTORY_TURNS = 50;

/** What a conversation is called before somebody renames it: how it begins. */
export function titleOf(prompt: string): string {
  const line = prompt.trim().split("\n", 1)[0]?.replace(/\s+/g, " ") ?? "";
  const characters = [...line];
  return characters.length <= LONGEST_TITLE ? line : `${characters.slice(0, LONGEST_TITLE - 1).join("").trimEnd()}…`;
}

/** The words of an answer: of the agent's, those that no tool followed. */
export function answerOf(turn: Turn): string {
  const last = turn.parts.at(-1);
  return last?.kind === "text" ? last.text : "";
}

export interface Said {
  role: "user" | "assistant";
  text: string;
}

/** What was said before a turn, as the server takes it; turns without an answer are left out. */
export function historyBefore(turns: readonly Turn[], turnId: string): { history: Said[]; leftOut: number } {
  const before = turns.slice(0, turns.findIndex(({ id }) => id === turnId)).filter((turn) => answerOf(turn).trim() !== "");
  const history: Said[] = [];
  let room = MAX_HISTORY_CHARACTERS;
  let taken = 0;
  for (const turn of before.slice(-MAX_HISTORY_TURNS).reverse()) {
    const answer = answerOf(turn);
    room -= turn.prompt.length + answer.length;
    if (room < 0) break;
    history.unshift({ role: "user", text: turn.prompt }, { role: "assistant", text: answer });
    taken += 1;
  }
  return { history, leftOut: before.length - taken };
}

/** What is in a schema that somebody typed; null where it is none. */
export function schemaIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** What a turn without tools is asked for in; one with tools writes as it likes. */
function layoutOf({ temperature, format, schema }: TurnSettings): object {
  const wanted = schemaIn(schema);
  const json = wanted ? { type: "json_schema", json_schema: { name: "answer", schema: wanted } } : { type: "json_object" };
  return { ...(temperature !== null && { temperature }), ...(format === "json" && { response_format: json }) };
}

/** The body that asks for a turn; documents stand first, so that a fault names one by its place. */
export function requestOf(turn: Turn, history: readonly Said[], maxTokens: number) {
  const documents = turn.attachments.map(({ id }) => ({ type: "object" as const, object_id: id }));
  return {
    prompt: documents.length ? [...documents, { type: "text" as const, text: turn.prompt }] : turn.prompt,
    max_tokens: maxTokens,
    ...(history.length && { history }),
    ...(turn.executor && { executor: turn.executor }),
    ...(turn.settings?.system.trim() && { system: turn.settings.system }),
    ...(turn.settings && turn.tools === "none" && layoutOf(turn.settings)),
    ...(Array.isArray(turn.tools) && { tools: turn.tools }),
  };
}

/** The attachment that a fault is about, by its pointer. */
export function faultyAttachment(turn: Turn, pointer: string): Attachment | undefined {
  const place = /^\/prompt\/(\d+)(\/|$)/.exec(pointer)?.[1];
  return place === undefined ? undefined : turn.attachments[Number(place)];
}
