/** A conversation as it is shown: what was asked, what was answered, and what became of it. */

import type { ProblemBody } from "@guildhall/console/api/problem";
import type { Source } from "@guildhall/console/ui/ask";
import type { Place } from "@guildhall/console/ui/place";

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

export type StepState = "queued" | "waiting" | "allowed" | "running" | "done" | "failed" | "denied" | "stopped";

export interface Step {
  /** The same in each reading of the message. */
  id: string;
  /** Its place among the calls of the answer. */
  n: number;
  tool: string;
  state: StepState;
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

export interface Citation {
  n: number;
  type: string;
  id: string | null;
  title?: string;
  key?: string;
  version?: number;
  place: Place;
  quote: string | null;
}

/** A message as the server has it. */
export interface Message {
  id: string;
  parent_id: string | null;
  role: "user" | "assistant";
  parts: readonly ServerPart[];
  model: string | null;
  usage: Usage | null;
  tools: readonly ServerTool[];
  citations: readonly Citation[];
  state: "queued" | "running" | "waiting" | "done" | "stopped" | "failed";
  error: ({ code: string; message: string; status?: number; retry_after?: number } & Record<string, unknown>) | null;
  reasoning: string | null;
  finish_reason: string | null;
  asked: Asked;
  author: { id: string; name: string };
  siblings: readonly string[];
  created_at: string;
}

type ServerPart =
  | { type: "text"; text: string }
  | { type: "object"; object_id: string; name?: string }
  | { type: "image_url"; image_url: { url: string } };

export interface ServerTool {
  name: string;
  arguments: unknown;
  result: unknown;
  state: StepState;
  error?: { code: string; message: string };
  artifact?: Artifact;
  cut?: boolean;
  after?: number;
}

interface Asked {
  sources?: "workspace" | { type: Source["type"]; id?: string; key?: string }[];
  tools?: "auto" | string[];
  model?: string;
  executor?: string;
  temperature?: number;
  response_format?: { type: string; json_schema?: { schema: object } };
}

/** A conversation as the server lists it. */
export interface Head {
  id: string;
  title: string;
  folder_id: string | null;
  pinned: boolean;
  model: string | null;
  system: string | null;
  owner: { id: string; name: string };
  permissions: readonly string[];
  current_id: string | null;
  updated_at: string;
}

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

/** A question as somebody writes it. */
export interface Question {
  prompt: string;
  attachments: Attachment[];
  /** The tools that it may use: none, these, or those that the server picks. */
  tools: "none" | "any" | string[];
  /** The name of a model, or `executor:` and that of an executor; null for the default. */
  model: string | null;
  /** What it is answered from: all that the workspace holds, or some of it; null for what the model knows. */
  sources: "workspace" | readonly Source[] | null;
  settings: TurnSettings;
}

export type TurnState = "answering" | "waiting" | "done" | "stopped" | "failed";

export interface Turn extends Question {
  /** Of the answer; of a question that nobody answered its own. */
  id: string;
  questionId: string | null;
  /** What the question follows. */
  parentId: string | null;
  at: string;
  /** Who asked. */
  author: { id: string; name: string };
  parts: Part[];
  state: TurnState;
  citations: readonly Citation[];
  questionSiblings: readonly string[];
  answerSiblings: readonly string[];
  reasoning?: string;
  usage?: Usage;
  modelName?: string;
  /** Which limit ended it: `length` for the tokens of an answer. */
  limit?: string;
  problem?: { body: ProblemBody; retryAfter: number | null };
}

export const EXECUTOR = "executor:";
const STATES: Record<Message["state"], TurnState> = {
  queued: "answering",
  running: "answering",
  waiting: "waiting",
  done: "done",
  stopped: "stopped",
  failed: "failed",
};

/** The words of an answer: those that no tool followed. */
export function answerOf(turn: Turn): string {
  const last = turn.parts.at(-1);
  return last?.kind === "text" ? last.text : "";
}

/** What an answer says and does, in its order. */
export function partsOf({ id, parts, tools }: Pick<Message, "id" | "parts" | "tools">): Part[] {
  const texts = parts.filter((part) => part.type === "text");
  const shown: Part[] = [];
  let taken = 0;
  const say = (until: number) => {
    for (; taken < Math.min(until, texts.length); taken += 1) shown.push({ kind: "text", text: texts[taken]!.text });
  };
  tools.forEach((tool, n) => {
    say(tool.after ?? 0);
    shown.push({ kind: "step", step: stepOf(id, tool, n) });
  });
  say(texts.length);
  return shown;
}

export function stepOf(messageId: string, { name, state, arguments: given, result, error, artifact, cut }: ServerTool, n: number): Step {
  return { id: `${messageId}/${n}`, n, tool: name, state, arguments: given, result, ...(error && { error }), ...(artifact && { artifact }), ...(cut && { cut }) };
}

/** The messages from the first up to one, as far as they are known, oldest first. */
export function branchOf(messages: ReadonlyMap<string, Message>, leaf: string | null): Message[] {
  const branch: Message[] = [];
  for (let at = leaf === null ? undefined : messages.get(leaf); at; at = at.parent_id === null ? undefined : messages.get(at.parent_id)) branch.unshift(at);
  return branch;
}

/** The turns of a branch: a question and its answer each. */
export function turnsOf(branch: readonly Message[], system: string | null): Turn[] {
  const turns: Turn[] = [];
  for (const message of branch) {
    const before = turns.at(-1);
    if (message.role === "user") turns.push(questionTurn(message, system));
    else if (before && before.questionId === message.parent_id) turns[turns.length - 1] = answered(before, message);
    else turns.push(answered({ ...questionTurn(message, system), prompt: "", attachments: [], questionId: null }, message));
  }
  return turns;
}

function questionTurn(message: Message, system: string | null): Turn {
  const texts = message.parts.filter((part) => part.type === "text").map(({ text }) => text);
  const objects = message.parts.filter((part) => part.type === "object");
  return {
    id: message.id,
    questionId: message.id,
    parentId: message.parent_id,
    at: message.created_at,
    author: message.author,
    prompt: texts.join("\n\n"),
    attachments: objects.map(({ object_id, name }) => ({ id: object_id, name: name ?? object_id })),
    tools: "none",
    model: null,
    sources: null,
    settings: { ...NO_SETTINGS, system: system ?? "" },
    parts: [],
    state: "done",
    citations: [],
    questionSiblings: message.siblings,
    answerSiblings: [],
  };
}

function answered(question: Turn, message: Message): Turn {
  const { asked, usage, error, model, reasoning, finish_reason } = message;
  const format = asked.response_format;
  const schema = format?.json_schema?.schema;
  return {
    ...question,
    id: message.id,
    at: message.created_at,
    author: message.author,
    parts: partsOf(message),
    state: STATES[message.state],
    citations: message.citations,
    answerSiblings: message.siblings,
    tools: asked.tools === undefined ? "none" : asked.tools === "auto" ? "any" : asked.tools,
    model: asked.executor ? EXECUTOR + asked.executor : (asked.model ?? null),
    sources: asked.sources === "workspace" ? asked.sources : (asked.sources?.map(sourceOf) ?? null),
    settings: {
      system: question.settings.system,
      temperature: asked.temperature ?? null,
      format: format && format.type !== "text" ? "json" : "text",
      schema: schema ? JSON.stringify(schema, null, 2) : "",
    },
    ...(usage && { usage }),
    ...(model && { modelName: model }),
    ...(reasoning && { reasoning }),
    ...(finish_reason === "length" && { limit: "length" }),
    ...(error && { problem: problemBody(error) }),
  };
}

function problemBody(error: NonNullable<Message["error"]>): NonNullable<Turn["problem"]> {
  const { message, status, retry_after, ...rest } = error;
  return { body: { title: "", status: status ?? 0, detail: message, ...rest }, retryAfter: retry_after ?? null };
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

/** A source as the server has it: a folder is known by its key. */
const namedBy = ({ type, at }: Source) => (type === "folder" ? { type, key: at } : { type, id: at });
const sourceOf = ({ type, id, key }: { type: Source["type"]; id?: string; key?: string }): Source => ({ type, at: id ?? key ?? "" });

/** The body that asks a question; documents stand first, so that a fault names one by its place. */
export function requestOf(question: Question, parentId?: string | null) {
  const { prompt, attachments, tools, model, sources, settings } = question;
  const documents = attachments.map(({ id, name }) => ({ type: "object" as const, object_id: id, name }));
  return {
    prompt: documents.length ? [...documents, { type: "text" as const, text: prompt }] : prompt,
    ...(parentId !== undefined && { parent_id: parentId }),
    ...(sources && { sources: sources === "workspace" ? sources : sources.map(namedBy) }),
    ...(tools !== "none" && { tools: tools === "any" ? ("auto" as const) : tools }),
    ...(model?.startsWith(EXECUTOR) ? { executor: model.slice(EXECUTOR.length) } : model && { model }),
    ...(tools === "none" && layoutOf(settings)),
  };
}

/** The attachment that a fault is about, by its pointer. */
export function faultyAttachment(turn: Turn, pointer: string): Attachment | undefined {
  const place = /^\/prompt\/(\d+)(\/|$)/.exec(pointer)?.[1];
  return place === undefined ? undefined : turn.attachments[Number(place)];
}
