/** An answer while it comes: events in, parts to draw out, at most once a frame. */

import type { ProblemBody } from "@guildhall/console/api/problem";
import type { ServerEvent } from "@guildhall/console/api/events";
import { BlockSplitter, type Block } from "./blocks";
import type { Part, Step, Turn, Usage } from "./conversation";

export type LivePart =
  | { kind: "text"; sections: readonly (readonly Block[])[]; open: Block; isCutShort: boolean }
  | { kind: "step"; step: Step };

interface Done {
  usage?: Usage;
  model?: string;
  simulated?: boolean;
  finish_reason?: string;
  stopped?: string;
  reasoning?: string;
  reply?: string;
}

/** More than anybody reads while it comes: what is beyond is drawn when the answer is whole. */
const LONGEST_DRAWN = 400_000;

type GrowingPart = { kind: "text"; text: string; splitter: BlockSplitter } | { kind: "step"; step: Step };

export class LiveAnswer {
  private readonly growing: GrowingPart[] = [];
  /** What came since it was drawn last. */
  private waiting = "";
  private drawn: readonly LivePart[] = [];
  private readonly listeners = new Set<() => void>();
  private frame: number | null = null;
  /** Whether a document that was attached is read first. */
  isReading = false;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get parts(): readonly LivePart[] {
    return this.drawn;
  }

  /** Takes an event; returns what it changes of the turn, null while the answer goes on. */
  take({ event, data }: ServerEvent): Partial<Turn> | null {
    const value: unknown = JSON.parse(data);
    this.setReading(event === "status" && (value as { text: string }).text === "reading");
    if (event === "delta") this.append((value as { text: string }).text);
    else if (event === "step") this.addStep(value as Step);
    else if (event === "restart") this.begin();
    else if (event === "error" && (value as ProblemBody).code === "cancelled") return { state: "stopped" };
    else if (event === "error") return { state: "failed", problem: { body: value as ProblemBody, retryAfter: null } };
    else if (event === "done") return this.finish(value as Done);
    return null;
  }

  private setReading(isReading: boolean): void {
    if (isReading === this.isReading) return;
    this.isReading = isReading;
    this.listeners.forEach((listener) => listener());
  }

  /** Whether its last words are still to come: those of a turn that a limit ended come with its result. */
  get isWordless(): boolean {
    return this.growing.at(-1)?.kind !== "text" && !this.waiting;
  }

  /** It is tried again: what was said before is void. */
  private begin(): void {
    this.growing.length = 0;
    this.waiting = "";
    this.draw();
  }

  /** The answer so far, as it is kept. */
  kept(): Part[] {
    this.flush();
    return this.growing.map((part) => (part.kind === "text" ? { kind: "text", text: part.text } : part));
  }

  close(): void {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  private append(text: string): void {
    this.waiting += text;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  private addStep(step: Step): void {
    this.flush();
    this.growing.push({ kind: "step", step });
    this.draw();
  }

  private flush(): void {
    const text = this.waiting;
    if (!text) return;
    this.waiting = "";
    let last = this.growing.at(-1);
    if (last?.kind !== "text") {
      last = { kind: "text", text: "", splitter: new BlockSplitter() };
      this.growing.push(last);
    }
    const capacity = LONGEST_DRAWN - last.text.length;
    last.text += text;
    if (capacity > 0) last.splitter.push(text.slice(0, capacity));
  }

  private draw(): void {
    this.flush();
    this.drawn = this.growing.map((part) =>
      part.kind === "step"
        ? part
        : {
            kind: "text",
            sections: part.splitter.sections,
            open: part.splitter.open,
            isCutShort: part.text.length > LONGEST_DRAWN,
          },
    );
    this.listeners.forEach((listener) => listener());
  }

  private finish(done: Done): Partial<Turn> {
    const limit = done.stopped ?? (done.finish_reason === "length" ? "length" : undefined);
    // An answer that came whole, such as that of a limit, has no pieces before it.
    if (done.reply && this.isWordless) this.append(done.reply);
    return {
      state: "done",
      ...(done.usage && { usage: done.usage }),
      ...(done.model && { model: done.model }),
      ...(done.simulated !== undefined && { simulated: done.simulated }),
      ...(done.reasoning && { reasoning: done.reasoning }),
      ...(limit && { limit }),
    };
  }
}
