/** A conversation that is open: read once, then followed by its events, as in every other tab and device. */

import { api, dataOf } from "@guildhall/console/api/client";
import { follow, pause, type ServerEvent } from "@guildhall/console/api/events";
import { Problem } from "@guildhall/console/api/problem";
import { branchOf, partsOf, requestOf, stepOf, turnsOf, type Head, type Message, type Question, type ServerTool, type Turn } from "./conversation";
import { LiveAnswer } from "./liveAnswer";

/** No event has this name: a conversation is followed until it is closed. */
const NEVER = "never";
const AGAIN_MS = 3_000;
const PAGE = 50;

type Whole = Head & { messages: Message[]; earlier: string | null; last_event_id: string };

export interface Shown {
  head: Head | null;
  turns: readonly Turn[];
  /** The message before those that are shown. */
  earlier: string | null;
  problem: unknown;
}

const NOTHING: Shown = { head: null, turns: [], earlier: null, problem: null };

export class OpenConversation {
  private readonly messages = new Map<string, Message>();
  private readonly lives = new Map<string, LiveAnswer>();
  private readonly listeners = new Set<() => void>();
  private readonly closing = new AbortController();
  private head: Head | null = null;
  private earlier: string | null = null;
  private problem: unknown = null;
  /** The number of the event that was heard last. */
  private heard = 0;
  private shown: Shown = NOTHING;

  constructor(readonly id: string) {
    void this.run();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  read = (): Shown => this.shown;

  /** The answer that is coming. */
  live(messageId: string): LiveAnswer | undefined {
    return this.lives.get(messageId);
  }

  close(): void {
    this.closing.abort();
    this.lives.forEach((live) => live.close());
  }

  /** Asks something; `parentId` is what it follows, where that is not the end of what is shown. */
  async ask(question: Question, parentId?: string | null): Promise<void> {
    await this.instruct(question.settings.system);
    const body = requestOf(question, parentId) as never;
    await api.POST("/api/conversations/{id}/messages", { params: { path: { id: this.id } }, body });
  }

  async regenerate(messageId: string): Promise<void> {
    const params = { path: { id: this.id, message: messageId } };
    await api.POST("/api/conversations/{id}/messages/{message}/regenerate", { params, body: {} });
  }

  async stop(messageId: string): Promise<void> {
    await api.POST("/api/conversations/{id}/messages/{message}/stop", { params: { path: { id: this.id, message: messageId } } });
  }

  /** Confirms a call of a tool, or refuses it. */
  async decide(messageId: string, number: number, decision: "once" | "always" | "deny"): Promise<void> {
    const params = { path: { id: this.id, message: messageId, number: String(number) } };
    await api.POST("/api/conversations/{id}/messages/{message}/tools/{number}", { params, body: { decision } });
  }

  /** Shows the branch that was written last below a message. */
  async show(messageId: string): Promise<void> {
    const body = { current_id: messageId };
    this.take((await dataOf(api.PATCH("/api/conversations/{id}", { params: { path: { id: this.id } }, body }))) as unknown as Whole);
  }

  async showEarlier(): Promise<void> {
    if (this.earlier === null) return;
    const params = { path: { id: this.id }, query: { branch: this.earlier, limit: PAGE } };
    const { items } = (await dataOf(api.GET("/api/conversations/{id}/messages", { params }))) as unknown as { items: Message[] };
    items.forEach((message) => this.messages.set(message.id, message));
    this.earlier = items[0]?.parent_id ?? null;
    this.tell();
  }

  /** Reads it anew, such as after it was renamed. */
  async reload(): Promise<string> {
    const found = (await dataOf(api.GET("/api/conversations/{id}", { params: { path: { id: this.id } } }))) as unknown as Whole;
    this.take(found);
    return found.last_event_id;
  }

  /** What the model is told before everything else is the conversation's. */
  private async instruct(system: string): Promise<void> {
    const wanted = system.trim() === "" ? null : system;
    if (!this.head || (this.head.system ?? null) === wanted) return;
    await api.PATCH("/api/conversations/{id}", { params: { path: { id: this.id } }, body: { system: wanted } });
    this.head = { ...this.head, system: wanted };
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      try {
        const from = await this.reload();
        for await (const event of follow(`/api/conversations/${this.id}/events`, NEVER, signal, from)) this.hear(event);
      } catch (cause) {
        if (signal.aborted) return;
        if (cause instanceof Problem && (cause.status === 404 || cause.status === 403)) return this.fail(cause);
        if (this.head === null) this.fail(cause);
      }
      await pause(AGAIN_MS, signal);
    }
  }

  private fail(cause: unknown): void {
    this.problem = cause;
    this.tell();
  }

  private take(found: Whole): void {
    const { messages, earlier, last_event_id, ...head } = found;
    const begins = messages[0]?.parent_id ?? null;
    // Read before what was heard since: of what is known the events know better.
    const isOld = Number(last_event_id) < this.heard;
    // What was shown of earlier ones stays, where it is the same branch.
    if (!isOld && (begins === null || !this.messages.has(begins))) {
      this.messages.clear();
      this.earlier = earlier;
    }
    this.head = head;
    this.problem = null;
    for (const message of messages) if (!isOld || !this.messages.has(message.id)) this.put(message);
    this.tell();
  }

  private hear({ event, data, id }: ServerEvent): void {
    const value: unknown = JSON.parse(data);
    if (id !== null) this.heard = Number(id);
    if (event === "error" && id === null) {
      const { status } = value as { status: number };
      if (status === 404 || status === 403) this.fail(new Problem(value as never));
      return;
    }
    if (event === "message" || event === "done") this.follow(value as Message);
    else this.grow(event, value as { message_id: string } & Record<string, unknown>);
  }

  /** A message is new, or is another. */
  private follow(message: Message): void {
    const isNew = !this.messages.has(message.id);
    this.put(message);
    for (const sibling of message.siblings) {
      const known = this.messages.get(sibling);
      if (known && known.id !== message.id) this.messages.set(sibling, { ...known, siblings: message.siblings });
    }
    if (isNew && message.role === "assistant" && this.head) this.head = { ...this.head, current_id: message.id };
    this.tell();
  }

  private put(message: Message): void {
    this.messages.set(message.id, message);
    const live = this.lives.get(message.id);
    if (message.state === "queued" || message.state === "running") {
      const coming = live ?? new LiveAnswer();
      coming.reset(partsOf(message));
      this.lives.set(message.id, coming);
    } else if (live) {
      live.close();
      this.lives.delete(message.id);
    }
  }

  private grow(event: string, value: { message_id: string } & Record<string, unknown>): void {
    const live = this.lives.get(value.message_id);
    if (event === "delta") live?.say(String(value.text));
    else if (event === "status") live?.setStatus(String(value.text));
    else if (event === "tool") live?.setStep(stepOf(value.message_id, value.tool as ServerTool, Number(value.n)));
  }

  private tell(): void {
    const turns = turnsOf(branchOf(this.messages, this.head?.current_id ?? null), this.head?.system ?? null);
    this.shown = { head: this.head, turns, earlier: this.earlier, problem: this.problem };
    this.listeners.forEach((listener) => listener());
  }
}

/** Begins a conversation and asks its first question; returns its id. */
export async function beginWith(question: Question): Promise<string> {
  const system = question.settings.system.trim();
  const { id } = await dataOf(api.POST("/api/conversations", { body: system ? { system } : {} }));
  await api.POST("/api/conversations/{id}/messages", { params: { path: { id } }, body: requestOf(question) as never });
  return id;
}
