/**
 * Keeps the focus of whoever works by keyboard on the page: what was focused and is taken away, or cannot be used
 * any more, hands it to its neighbour. Without this it falls to the body, and the way through the page begins anew.
 */

const TABBABLE = "a[href], button, input, select, textarea, summary, [tabindex='0'], iframe";
const BOUNDS = "main, aside, header, [role=dialog], [role=alertdialog]";
const MAX_PLACES = 8;
/** Time for what moves the focus on purpose: a dialog that closes, a screen that is opened. */
const PATIENCE_MS = 60;

interface Place {
  /** What was focused, and all around it from the inside out; held weakly, as a screen that is left may go. */
  chain: WeakRef<Element>[];
  /** Where each of them stood among its neighbours. */
  positions: number[];
}

let places: Place[] = [];
let isByKeyboard = false;
let timer: ReturnType<typeof setTimeout> | undefined;
let arriving = 0;

/** While a screen is being opened, its heading gets the focus and nothing else. Returns what ends it. */
export function beginArriving(): () => void {
  arriving += 1;
  let isOver = false;
  return () => {
    if (!isOver) arriving -= 1;
    isOver = true;
  };
}

function canTakeFocus(element: Element): element is HTMLElement {
  return (
    element instanceof HTMLElement &&
    element.isConnected &&
    element.tabIndex >= 0 &&
    !element.matches(":disabled, [aria-hidden=true]") &&
    !element.closest("[inert]") &&
    element.checkVisibility({ visibilityProperty: true })
  );
}

function remember({ target }: FocusEvent): void {
  if (!(target instanceof Element) || target === document.body) return;
  const chain: WeakRef<Element>[] = [];
  const positions: number[] = [];
  for (let each: Element | null = target; each && each !== document.body; each = each.parentElement) {
    chain.push(new WeakRef(each));
    positions.push(each.parentElement ? Array.prototype.indexOf.call(each.parentElement.children, each) : 0);
  }
  places = [...places.filter(({ chain: [known] }) => known?.deref() !== target), { chain, positions }].slice(-MAX_PLACES);
}

const isBound = (element: Element) => element.isConnected && element.matches(BOUNDS);
const within = (element: Element) => [element, ...element.querySelectorAll(TABBABLE)].find(canTakeFocus);

/** The nearest thing to use around a place: what came after it, what came before it, then around what held both. */
function neighbourOf({ chain, positions }: Place): HTMLElement | undefined {
  for (let level = 0; level < chain.length; level += 1) {
    const [lost, around] = [chain[level]?.deref(), chain[level + 1]?.deref()];
    if (lost && canTakeFocus(lost)) return lost;
    if (lost && isBound(lost)) return undefined;
    if (!around?.isConnected) continue;
    const children = [...around.children].filter((child) => child !== lost);
    const position = positions[level]!;
    for (const child of [...children.slice(position), ...children.slice(0, position).reverse()]) {
      const found = within(child);
      if (found) return found;
    }
  }
  return undefined;
}

function heading(): HTMLElement | undefined {
  const found = [...document.querySelectorAll<HTMLElement>("main h1")].find((each) => each.checkVisibility());
  if (found) found.tabIndex = -1;
  return found;
}

function rescue(): void {
  timer = undefined;
  if (!isByKeyboard || arriving > 0) return;
  const now = document.activeElement;
  if (now !== null && now !== document.body) return;
  const dialog = [...document.querySelectorAll("[role=dialog], [role=alertdialog]")].at(-1);
  // A screen that was drawn anew once it had what it asked for has another heading.
  if (!dialog && places.at(-1)?.chain[0]?.deref()?.matches("h1")) {
    heading()?.focus();
    return;
  }
  for (const place of [...places].reverse()) {
    const around = place.chain.flatMap((each) => each.deref() ?? []);
    const isHere = dialog ? around.includes(dialog) : around.some(isBound);
    const found = isHere && neighbourOf(place);
    if (found) {
      found.focus();
      return;
    }
  }
  (dialog instanceof HTMLElement ? dialog : heading())?.focus();
}

/** Begins to look after the focus; returns what ends it. */
export function keepFocus(): () => void {
  const follow = () => {
    if (!isByKeyboard || places.length === 0 || document.activeElement !== document.body) return;
    clearTimeout(timer);
    timer = setTimeout(rescue, PATIENCE_MS);
  };
  const observer = new MutationObserver(follow);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled", "hidden", "inert"] });
  const stopping = new AbortController();
  const options = { capture: true, passive: true, signal: stopping.signal };
  window.addEventListener("focusin", remember, options);
  window.addEventListener("keydown", () => (isByKeyboard = true), options);
  window.addEventListener("pointerdown", () => (isByKeyboard = false), options);
  return () => {
    stopping.abort();
    observer.disconnect();
    clearTimeout(timer);
    places = [];
  };
}
