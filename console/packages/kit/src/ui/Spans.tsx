import { useMemo, useState, type KeyboardEvent } from "react";

import { useTexts } from "../i18n/texts";
import { lanesOf, type Span } from "./lanes";
import styles from "./Spans.module.css";

export type { Span } from "./lanes";

interface SpansProps {
  label: string;
  spans: readonly Span[];
  onOpen: (id: string) => void;
}

/** What ran when, as bars above a common time: the list below it has the same. Arrows go from one to the next. */
export function Spans({ label, spans, onOpen }: SpansProps) {
  const { t, locale } = useTexts();
  const { from, until, bars, lanes } = useMemo(() => lanesOf(spans, Date.now()), [spans]);
  const [stop, setStop] = useState<string | null>(null);
  if (bars.length === 0) return null;
  const clock: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", ...(until - from < 180_000 && { second: "2-digit" }) };
  const format = new Intl.DateTimeFormat(locale, until - from > 36 * 3_600_000 ? { month: "short", day: "numeric" } : clock);
  const at = bars.some(({ id }) => id === stop) ? stop : bars.at(-1)?.id;
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...(event.currentTarget.closest("ol")?.querySelectorAll("button") ?? [])];
    buttons[buttons.indexOf(event.currentTarget) + (document.documentElement.dir === "rtl" ? -step : step)]?.focus();
  };
  return (
    <div className={styles.spans}>
      <ol aria-label={label} style={{ height: `${lanes * 16 + 4}px` }}>
        {bars.map(({ id, name, state, start, length, lane }) => (
          <li key={id} style={{ insetInlineStart: `${start * 100}%`, width: `${length * 100}%`, top: `${lane * 16 + 2}px` }}>
            <button
              type="button"
              data-state={state}
              title={`${name} · ${t(`state.${state}`)}`}
              aria-label={`${name}, ${t(`state.${state}`)}`}
              tabIndex={id === at ? 0 : -1}
              onFocus={() => setStop(id)}
              onKeyDown={onKeyDown}
              onClick={() => onOpen(id)}
            />
          </li>
        ))}
      </ol>
      <p aria-hidden="true">
        {[0, 0.5, 1].map((share) => (
          <span key={share}>{format.format(from + (until - from) * share)}</span>
        ))}
      </p>
    </div>
  );
}
