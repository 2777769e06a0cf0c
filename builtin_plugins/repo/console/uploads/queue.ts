/** Uploads: a few at once, the others wait; each can be cancelled, and tried again when it was refused. */

import type { StoredObject } from "../objects";

export interface Wanted {
  key: string;
  file: Blob & { name?: string };
  /** Why it cannot be sent as it is, and how to read it again. */
  refused?: { problem: unknown; read: () => Promise<Blob> };
}

export type UploadState = "waiting" | "sending" | "done" | "refused" | "cancelled";

export interface Upload {
  id: number;
  key: string;
  file: Blob;
  state: UploadState;
  /** Bytes that went out so far. */
  sent: number;
  problem: unknown;
  object: StoredObject | null;
  /** Whether there was a file of this name: it has a new version now. */
  isNewVersion: boolean;
  /** Reads it, where it could not be read yet. */
  read: (() => Promise<Blob>) | null;
}

export interface Sent {
  object: StoredObject;
  isNewVersion: boolean;
}

export type Send = (wanted: Wanted, onSent: (bytes: number) => void, signal: AbortSignal) => Promise<Sent>;

export interface Summary {
  total: number;
  open: number;
  done: number;
  refused: number;
  /** From 0 to 1, by bytes, of what is not cancelled. */
  progress: number;
}

const AT_ONCE = 3;

export class UploadQueue {
  private uploads = new Map<number, Upload>();
  private readonly stops = new Map<number, AbortController>();
  private readonly listeners = new Set<() => void>();
  private readonly doneListeners = new Set<(upload: Upload) => void>();
  private lastId = 0;
  private ids: readonly number[] = [];
  private summary: Summary = summaryOf([]);

  constructor(
    private readonly send: Send,
    private readonly atOnce = AT_ONCE,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  onDone(listener: (upload: Upload) => void): () => void {
    this.doneListeners.add(listener);
    return () => this.doneListeners.delete(listener);
  }

  get(id: number): Upload | undefined {
    return this.uploads.get(id);
  }

  /** The same list until one comes or goes. */
  list = (): readonly number[] => this.ids;
  total = (): Summary => this.summary;

  add(wanted: readonly Wanted[]): void {
    for (const { key, file, refused } of wanted) {
      const id = (this.lastId += 1);
      const start = { state: refused ? "refused" : "waiting", problem: refused?.problem ?? null, read: refused?.read ?? null } as const;
      this.uploads.set(id, { id, key, file, ...start, sent: 0, object: null, isNewVersion: false });
    }
    this.changed();
    this.goOn();
  }

  cancel(id: number): void {
    const upload = this.uploads.get(id);
    if (upload?.state !== "waiting" && upload?.state !== "sending") return;
    this.change(id, { state: "cancelled" });
    this.stops.get(id)?.abort();
    this.goOn();
  }

  cancelAll(): void {
    [...this.uploads.keys()].forEach((id) => this.cancel(id));
  }

  retry(id: number): void {
    const state = this.uploads.get(id)?.state;
    if (state !== "refused" && state !== "cancelled") return;
    this.change(id, { state: "waiting", sent: 0, problem: null });
    this.goOn();
  }

  /** Takes what is over off the list; without an id all that need nobody any more. */
  dismiss(id?: number): void {
    for (const upload of [...this.uploads.values()]) {
      const isOver = upload.state !== "waiting" && upload.state !== "sending";
      if (isOver && (id === undefined || id === upload.id)) this.uploads.delete(upload.id);
    }
    this.changed();
  }

  /** Takes what arrived off the list. */
  dismissDone(): void {
    for (const { id, state } of [...this.uploads.values()]) if (state === "done") this.uploads.delete(id);
    this.changed();
  }

  private goOn(): void {
    for (const upload of this.uploads.values()) {
      if (this.stops.size >= this.atOnce) return;
      if (upload.state === "waiting" && !this.stops.has(upload.id)) void this.run(upload);
    }
  }

  private async run({ id, key, file: known, read }: Upload): Promise<void> {
    const stop = new AbortController();
    this.stops.set(id, stop);
    this.change(id, { state: "sending" });
    try {
      const file = read ? await read() : known;
      if (read) this.change(id, { file, read: null });
      const sent = await this.send({ key, file }, (bytes) => !stop.signal.aborted && this.change(id, { sent: bytes }), stop.signal);
      this.change(id, { state: "done", sent: file.size, object: sent.object, isNewVersion: sent.isNewVersion });
      const upload = this.uploads.get(id);
      if (upload) this.doneListeners.forEach((listener) => listener(upload));
    } catch (problem) {
      if (!stop.signal.aborted) this.change(id, { state: "refused", problem });
    } finally {
      this.stops.delete(id);
      this.goOn();
    }
  }

  private change(id: number, fields: Partial<Upload>): void {
    const upload = this.uploads.get(id);
    if (!upload) return;
    this.uploads.set(id, { ...upload, ...fields });
    this.changed();
  }

  private changed(): void {
    const ids = [...this.uploads.keys()];
    if (ids.length !== this.ids.length || ids.some((id, index) => id !== this.ids[index])) this.ids = ids;
    this.summary = summaryOf([...this.uploads.values()]);
    this.listeners.forEach((listener) => listener());
  }
}

export function summaryOf(uploads: readonly Upload[]): Summary {
  const wanted = uploads.filter(({ state }) => state !== "cancelled" && state !== "refused");
  const bytes = wanted.reduce((sum, { file }) => sum + file.size, 0);
  const sent = wanted.reduce((sum, upload) => sum + upload.sent, 0);
  const count = (...states: UploadState[]) => uploads.filter(({ state }) => states.includes(state)).length;
  return {
    total: uploads.length,
    open: count("waiting", "sending"),
    done: count("done"),
    refused: count("refused"),
    progress: bytes === 0 ? (count("waiting", "sending") ? 0 : 1) : sent / bytes,
  };
}
