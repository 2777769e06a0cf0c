/** An answer while it comes: pieces in, parts to draw out, at most once a frame. */

import { BlockSplitter, type Block } from "./blocks";
import type { Part, Step } from "./conversation";

export type LivePart =
  | { kind: "text"; sections: readonly (readonly Block[])[]; open: Block; isCutShort: boolean }
  | { kind: "step"; step: Step };

/** More than anybody reads while it comes: what is beyond is drawn when the answer is whole. */
const LONGEST_DRAWN = 400_000;

type GrowingPart = { kind: "text"; text: string; splitter: BlockSplitter } | { kind: "step"; step: Step };

export class LiveAnswer {
  private growing: GrowingPart[] = [];
  /** What came since it was drawn last. */
  private waiting = "";
  private drawn: readonly LivePart[] = [];
  private readonly listeners = new Set<() => void>();
  private frame: number | null = null;
  /** What is done before the first words: `reading` what is attached, `searching` the sources, `busy` is the model. */
  status: string | null = null;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  get parts(): readonly LivePart[] {
    return this.drawn;
  }

  /** Begins with what is known of it. */
  reset(parts: readonly Part[]): void {
    this.waiting = "";
    this.growing = [];
    for (const part of parts) {
      if (part.kind === "text") this.grow(part.text);
      else this.growing.push(part);
    }
    this.draw();
  }

  say(text: string): void {
    this.status = null;
    this.waiting += text;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  setStatus(status: string): void {
    this.status = status;
    this.tell();
  }

  /** A tool is called, or has ended. */
  setStep(step: Step): void {
    this.flush();
    this.status = null;
    const at = this.growing.findIndex((part) => part.kind === "step" && part.step.n === step.n);
    if (at < 0) this.growing.push({ kind: "step", step });
    else this.growing[at] = { kind: "step", step };
    this.draw();
  }

  close(): void {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  private flush(): void {
    const text = this.waiting;
    this.waiting = "";
    if (text) this.grow(text);
  }

  private grow(text: string): void {
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
    this.tell();
  }

  private tell(): void {
    this.listeners.forEach((listener) => listener());
  }
}
