/** Whether the server answers. Once it did not, it is asked at a calm pace until it does again. */

import { useSyncExternalStore } from "react";

const PACE_MS = [1_000, 2_000, 4_000, 8_000];

export class Connection {
  private away = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly ask: () => Promise<boolean>) {}

  get isAway(): boolean {
    return this.away;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** A request did not reach the server. */
  lost = (): void => {
    if (this.away) return;
    this.set(true);
    this.askLater(0);
  };

  /** Asks whether the server answers now; where it does not, it is lost. */
  async answers(): Promise<boolean> {
    const answered = await this.ask();
    if (!answered) this.lost();
    return answered;
  }

  /** Waits until the server answers again, or nobody waits for it any more. */
  back(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.away && !signal.aborted) return;
        stop();
        signal.removeEventListener("abort", look);
        resolve();
      };
      const stop = this.subscribe(look);
      signal.addEventListener("abort", look);
      look();
    });
  }

  /** Asks at once, instead of in a while. */
  askNow = (): void => {
    if (!this.away) return;
    clearTimeout(this.timer);
    void this.poll(0);
  };

  private askLater(failures: number): void {
    const pause = PACE_MS[Math.min(failures, PACE_MS.length - 1)];
    this.timer = setTimeout(() => void this.poll(failures + 1), pause);
  }

  private async poll(failures: number): Promise<void> {
    if (await this.ask()) this.set(false);
    else if (this.away) this.askLater(failures);
  }

  private set(away: boolean): void {
    this.away = away;
    this.listeners.forEach((listener) => listener());
  }
}

async function healthy(): Promise<boolean> {
  try {
    return (await fetch("/health", { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

export const connection = new Connection(healthy);

export function beginConnection(): void {
  window.addEventListener("offline", connection.lost);
  window.addEventListener("online", connection.askNow);
}

export const useIsAway = (): boolean => useSyncExternalStore(connection.subscribe, () => connection.isAway);
