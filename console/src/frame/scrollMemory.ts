/** How far down each entry of the browser's history was scrolled. */

import { readStored, writeStored } from "@guildhall/console/device";

const KEY = "guildhall.scroll";
const PATIENCE_MS = 1_500;

type State = { entry?: number } | null;

export class ScrollMemory {
  private positions = new Map<number, number>();
  private current = 0;
  private isPaused = false;
  private stopRestoring: (() => void) | null = null;

  begin(): () => void {
    history.scrollRestoration = "manual";
    const onScroll = () => {
      if (!this.isPaused) this.record();
    };
    const onHide = () => writeStored(KEY, [...this.positions].slice(-100), sessionStorage);
    window.addEventListener("scroll", onScroll, { passive: true });
    window.addEventListener("pagehide", onHide);
    return () => {
      window.removeEventListener("scroll", onScroll);
      window.removeEventListener("pagehide", onHide);
    };
  }

  /**
   * Takes up an entry and returns its position, null where it is new.
   *
   * That the entry is marked says that one has been there; the browser may tell of a way back (`popstate`)
   * only after the screen was drawn.
   */
  arrive(): number | null {
    this.stopRestoring?.();
    if (this.positions.size === 0) this.positions = new Map(readStored<[number, number][]>(KEY, sessionStorage) ?? []);
    const known = (history.state as State)?.entry;
    this.current = known ?? Date.now();
    if (known !== undefined) return this.positions.get(known) ?? 0;
    this.stay();
    return null;
  }

  record(): void {
    this.positions.set(this.current, window.scrollY);
  }

  /** Marks the entry, also when its address was replaced. */
  stay(): void {
    if ((history.state as State)?.entry === this.current) return;
    // Not by `history.replaceState`, which the router listens to.
    History.prototype.replaceState.call(history, { ...(history.state as State), entry: this.current }, "");
  }

  /** Scrolls there as soon as the page is long enough. */
  restore(to: number): void {
    this.isPaused = true;
    const until = performance.now() + PATIENCE_MS;
    let frame = 0;
    const stop = () => {
      cancelAnimationFrame(frame);
      this.isPaused = false;
      this.stopRestoring = null;
      window.removeEventListener("wheel", stop);
      window.removeEventListener("touchstart", stop);
    };
    const step = () => {
      window.scrollTo(0, to);
      if (Math.abs(window.scrollY - to) < 2 || performance.now() > until) stop();
      else frame = requestAnimationFrame(step);
    };
    // Whoever scrolls meanwhile knows better.
    window.addEventListener("wheel", stop, { passive: true });
    window.addEventListener("touchstart", stop, { passive: true });
    this.stopRestoring = stop;
    step();
  }
}

