import { useEffect, useState } from "react";

import { useTexts } from "@guildhall/console/i18n/texts";
import { lengthInWords, tookMs } from "./run";

const TICK_MS = 1_000;

/** How long something took; of what goes on, how long it takes by now. */
export function Took({ from, until }: { from: string; until: string | null }) {
  const { locale } = useTexts();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (until !== null) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [until]);
  return <span>{lengthInWords(tookMs({ from, until }, now), locale)}</span>;
}
