/** The conversations of one person in one team, kept on this device: the server keeps none. */

import { readEvents, type ServerEvent } from "@guildhall/console/api/events";
import { authorizedFetch } from "@guildhall/console/api/client";
import { Problem, problemOf, Unreachable } from "@guildhall/console/api/problem";
import { sessions } from "@guildhall/console/session/store";
import { historyBefore, requestOf, titleOf, type Conversation, type Turn } from "./conversation";
import { forgetConversation, parseConversation, readConversation, readConversations, writeConversation } from "./deviceStorage";
import { LiveAnswer } from "./liveAnswer";
import { beginTurn, cancelTurn, followTurn, readTurn, stopTurn } from "./turnJob";

const PREFIX = "guildhall.chat.";
const MAX_CONVERSATIONS = 100;
const MAX_TOKENS = 4_096;
/** A turn that has not begun by then waits for room: asked for directly, the server says which, and until when. */
const LONGEST_QUEUED_MS = 2_500;

interface Running {
  turnId: string;
  live: LiveAnswer;
  controller: AbortController;
  job: string | null;
  /** Asked for directly: it ends with this page. */
  isDirect: boolean;
  /** Left and not stopped: the server goes on with it. */
  isLeft: boolean;
}

export class ConversationStore {
  private readonly known = new Map<string, Conversation>();
  private readonly running = new Map<string, Running>();
  private readonly listeners = new Set<() => void>();
  private listed: readonly Conversation[] = [];
  /** Those of which the device has an older state, or none. */
  private readonly unkept = new Set<string>();
  /** Whether the device took all that it was given. */
  isKept = true;
  /** The page goes: what breaks off now is taken up by the next one. */
  private isLeaving = false;

  constructor(private readonly owner: string) {
    for (const conversation of readConversations(this.prefix)) this.known.set(conversation.id, conversation);
    this.order();
    for (const { id, turns } of this.known.values()) {
      const last = turns.at(-1);
      if (last?.state === "answering") void this.run(id, last);
    }
    addEventListener("pagehide", () => this.keepRunning());
    addEventListener("pageshow", () => (this.isLeaving = false));
    addEventListener("storage", ({ key, newValue }) => this.hear(key, newValue));
    sessions.subscribe((session) => session ?? this.leaveAll());
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** All of them, the latest first. */
  list = (): readonly Conversation[] => this.listed;

  find(id: string): Conversation | undefined {
    return this.known.get(id);
  }

  /** The answer that is coming in a conversation. */
  live(id: string): LiveAnswer | undefined {
    return this.running.get(id)?.live;
  }

  rename(id: string, title: string): void {
    this.change(id, (conversation) => ({ ...conversation, title }));
  }

  remove(id: string): () => void {
    const running = this.running.get(id);
    // Taken back, it has what had come until then.
    if (running) this.keepSoFar(id, running, "stopped");
    const removed = this.known.get(id);
    this.stop(id);
    this.known.delete(id);
    forgetConversation(this.prefix + id);
    this.order();
    return () => removed && this.put(removed);
  }

  /** Asks something, in a conversation that there is or in a new one; returns its id. */
  ask(id: string | null, question: Pick<Turn, "prompt" | "attachments" | "tools" | "executor" | "settings">): string {
    const at = new Date().toISOString();
    const turn: Turn = { ...question, id: newId(), at, parts: [], state: "answering" };
    const before = id === null ? undefined : this.latest(id);
    const conversation = before ?? { id: newId(), title: titleOf(question.prompt), at, turns: [] };
    this.put({ ...conversation, at, turns: [...conversation.turns, turn] });
    void this.run(conversation.id, turn);
    return conversation.id;
  }

  /** Asks the last question once more, in the place of its answer. */
  retry(id: string): void {
    const last = this.known.get(id)?.turns.at(-1);
    if (!last || this.running.has(id)) return;
    const { id: turnId, prompt, attachments, tools, executor, settings } = last;
    const asked = { id: turnId, prompt, attachments, tools, executor, ...(settings && { settings }) };
    const turn: Turn = { ...asked, at: new Date().toISOString(), parts: [], state: "answering" };
    this.changeTurn(id, turnId, () => turn);
    void this.run(id, turn);
  }

  /** Takes the last question back, to ask it in other words. */
  takeBack(id: string): Turn | undefined {
    const last = this.known.get(id)?.turns.at(-1);
    if (last) this.change(id, (conversation) => ({ ...conversation, turns: conversation.turns.filter((turn) => turn.id !== last.id) }));
    return last;
  }

  stop(id: string): void {
    const running = this.running.get(id);
    if (!running) return;
    running.controller.abort();
    if (running.job) void stopTurn(running.job);
  }

  /** What another tab of this browser wrote down. */
  private hear(key: string | null, value: string | null): void {
    if (!key?.startsWith(this.prefix)) return;
    const id = key.slice(this.prefix.length);
    const conversation = parseConversation(value);
    const running = this.running.get(id);
    if (conversation) this.known.set(id, running ? this.withTurn(conversation, running.turnId) : conversation);
    else if (!running) this.known.delete(id);
    this.order();
  }

  /** Nobody is signed in any more; what was asked for goes on, and is taken up by whoever asked. */
  private leaveAll(): void {
    for (const running of this.running.values()) {
      running.isLeft = true;
      running.controller.abort();
    }
  }

  private async run(id: string, turn: Turn): Promise<void> {
    const running: Running = { turnId: turn.id, live: new LiveAnswer(), controller: new AbortController(), job: turn.job ?? null, isDirect: false, isLeft: false };
    this.running.set(id, running);
    this.tell();
    let ended: Partial<Turn>;
    try {
      ended = await this.answer(id, turn, running);
    } catch (cause) {
      if (this.isLeaving) return;
      ended = running.controller.signal.aborted ? { state: "stopped" } : { state: "failed", problem: storedProblem(cause) };
    }
    running.live.close();
    this.running.delete(id);
    const parts = running.live.kept();
    // Of an answer that is no longer there to take up, what the page before had.
    if (!running.isLeft) this.changeTurn(id, turn.id, (before) => ({ ...before, ...ended, parts: parts.length > 0 ? parts : before.parts }));
    this.tell();
  }

  /** Has a turn answered by a job, which goes on without this page; one that waits for room is asked for directly. */
  private async answer(id: string, turn: Turn, running: Running): Promise<Partial<Turn>> {
    const { signal } = running.controller;
    running.job ??= await this.begin(id, turn);
    if (signal.aborted && !running.isLeft) void stopTurn(running.job);
    const ended = await this.follow(running.job, running);
    if (ended) return ended;
    if (signal.aborted) throw new Unreachable();
    running.job = null;
    running.isDirect = true;
    this.changeTurn(id, turn.id, ({ job: _, ...rest }) => rest);
    return this.stream(id, turn, running);
  }

  private async begin(id: string, turn: Turn): Promise<string> {
    const { history } = historyBefore(this.known.get(id)?.turns ?? [], turn.id);
    const path = turn.tools === "none" ? "/api/ai/chat" : "/api/agent";
    const job = await beginTurn(path, requestOf(turn, history, MAX_TOKENS), `${turn.id}-${turn.at}`);
    this.changeTurn(id, turn.id, (before) => ({ ...before, job }));
    return job;
  }

  /** How a job ended; null for one that was taken back, as it found no room, or that nobody follows any more. */
  private async follow(job: string, { live, controller }: Running): Promise<Partial<Turn> | null> {
    const following = new AbortController();
    controller.signal.addEventListener("abort", () => following.abort());
    if (controller.signal.aborted) return null;
    let takenBack: Promise<boolean> = Promise.resolve(false);
    const timer = setTimeout(() => {
      takenBack = takeBackIfQueued(job);
      void takenBack.then((isTaken) => isTaken && following.abort());
    }, LONGEST_QUEUED_MS);
    try {
      for await (const event of followTurn(job, following.signal)) {
        clearTimeout(timer);
        const whole = event.event === "done" && live.isWordless ? await withReply(event, job) : event;
        const ended = live.take(whole);
        if (ended) return (await takenBack) ? null : ended;
      }
    } catch (cause) {
      if (cause instanceof Problem && cause.status === 404) return { state: "stopped" };
      throw cause;
    } finally {
      clearTimeout(timer);
    }
    return null;
  }

  /** Asks for a turn that lasts as long as this page follows it. */
  private async stream(id: string, turn: Turn, { live, controller }: Running): Promise<Partial<Turn>> {
    const { history } = historyBefore(this.known.get(id)?.turns ?? [], turn.id);
    const path = turn.tools === "none" ? "/api/ai/chat/stream" : "/api/agent";
    const response = await authorizedFetch(
      new Request(path, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
        body: JSON.stringify(requestOf(turn, history, MAX_TOKENS)),
        signal: controller.signal,
      }),
    );
    if (!response.ok || !response.body) throw await problemOf(response);
    for await (const event of readEvents(response.body)) {
      const ended = live.take(event);
      if (ended) return ended;
    }
    // It ended without saying how: whatever stood between us and the server went away.
    throw new Unreachable();
  }

  /** What has come so far is not lost when the page is closed. */
  private keepRunning(): void {
    this.isLeaving = true;
    for (const [id, running] of this.running) this.keepSoFar(id, running, running.isDirect ? "stopped" : "answering");
  }

  /** One that the server goes on with is still answering, and is taken up by the next page. */
  private keepSoFar(id: string, { turnId, live }: Running, state: "answering" | "stopped"): void {
    this.changeTurn(id, turnId, (turn) => ({ ...turn, state, parts: live.kept() }));
  }

  private changeTurn(id: string, turnId: string, change: (turn: Turn) => Turn): void {
    const swap = (turn: Turn) => (turn.id === turnId ? change(turn) : turn);
    this.change(id, (conversation) => ({ ...conversation, turns: this.withTurn(conversation, turnId).turns.map(swap) }));
  }

  /** A conversation with a turn of this tab's, which another tab may not have known when it wrote it down. */
  private withTurn(conversation: Conversation, turnId: string): Conversation {
    const own = this.known.get(conversation.id)?.turns.find(({ id }) => id === turnId);
    if (!own || conversation.turns.some(({ id }) => id === turnId)) return conversation;
    return { ...conversation, turns: [...conversation.turns, own] };
  }

  /** Changes what the device has: another tab may have gone on with it. */
  private change(id: string, change: (conversation: Conversation) => Conversation): void {
    const before = this.latest(id);
    if (before) this.put(change(before));
  }

  private latest(id: string): Conversation | undefined {
    const known = this.known.get(id);
    return (known && !this.unkept.has(id) && readConversation(this.prefix + id)) || known;
  }

  private put(conversation: Conversation): void {
    this.known.set(conversation.id, conversation);
    this.order();
    for (const old of this.listed.slice(MAX_CONVERSATIONS)) this.remove(old.id);
    this.isKept = this.keep(conversation);
    if (this.isKept) this.unkept.delete(conversation.id);
    else this.unkept.add(conversation.id);
    this.tell();
  }

  /** Writes it down; what is oldest makes room for it, unless there would not be enough without all of them. */
  private keep(conversation: Conversation): boolean {
    const isWritten = () => writeConversation(this.prefix + conversation.id, conversation);
    if (isWritten()) return true;
    const others = this.listed.filter(({ id }) => id !== conversation.id).reverse();
    for (const [at, old] of others.entries()) {
      forgetConversation(this.prefix + old.id);
      if (isWritten()) return true;
      // It is too long whatever goes: nobody else's place is given up for nothing.
      if (at === others.length - 1) for (const one of others.toReversed()) writeConversation(this.prefix + one.id, one);
    }
    return false;
  }

  private order(): void {
    this.listed = [...this.known.values()].sort((one, other) => other.at.localeCompare(one.at));
    this.tell();
  }

  private tell(): void {
    this.listeners.forEach((listener) => listener());
  }

  private get prefix(): string {
    return `${PREFIX}${this.owner}.`;
  }
}

/** Takes a job back that has not begun; it may have begun meanwhile. */
async function takeBackIfQueued(job: string): Promise<boolean> {
  const { state } = await readTurn(job).catch(() => ({ state: "running" }));
  return state === "queued" && cancelTurn(job);
}

/** The last event of a turn, with the words that only its result has. */
async function withReply(event: ServerEvent, job: string): Promise<ServerEvent> {
  const reply = (await readTurn(job).catch(() => null))?.result?.reply;
  return reply ? { ...event, data: JSON.stringify({ ...JSON.parse(event.data), reply }) } : event;
}

function storedProblem(cause: unknown): NonNullable<Turn["problem"]> {
  const problem = cause instanceof Problem ? cause : new Unreachable();
  return { body: problem.body, retryAfter: problem.retryAfter };
}

const newId = () => crypto.getRandomValues(new BigUint64Array(1))[0]!.toString(36);

const stores = new Map<string, ConversationStore>();

/** The conversations of somebody in a team; answers go on while other screens are shown. */
export function conversationsOf(userId: string, teamId: string): ConversationStore {
  const owner = `${userId}.${teamId}`;
  let store = stores.get(owner);
  if (!store) stores.set(owner, (store = new ConversationStore(owner)));
  return store;
}
