import { useEffect, useLayoutEffect, useMemo, useRef, useState, type MouseEvent } from "react";
import { useLocation } from "wouter";

import { useText } from "../i18n/texts";
import styles from "./Markdown.module.css";
import { renderMarkdown } from "./renderMarkdown";
import { addressOf, sanitizeHtml } from "./sanitizeHtml";
import { inWorker } from "./inWorker";
import { loadPicture } from "./pictures";

/** Up to here it is quicker to do it at once than to ask a worker. */
const SHORT = 5_000;
/** More than anybody reads at a time; the rest is in the editor. */
const LONGEST = 200_000;
const PATIENCE_MS = 4_000;

const startWorker = () => new Worker(new URL("./markdown.worker", import.meta.url), { type: "module" });

export default function MarkdownView({ text }: { text: string }) {
  const t = useText();
  const [, navigate] = useLocation();
  const place = useRef<HTMLDivElement>(null);
  const shown = text.slice(0, LONGEST);
  const [late, setLate] = useState<{ html: string | null } | null>(null);
  const isShort = shown.length <= SHORT;
  const atOnce = useMemo(() => (isShort ? renderMarkdown(shown) : undefined), [shown, isShort]);
  const html = isShort ? atOnce : late?.html;

  useEffect(() => {
    if (isShort) return;
    return inWorker<string, string>(startWorker, shown, PATIENCE_MS, (rendered) => setLate({ html: rendered }));
  }, [shown, isShort]);

  useLayoutEffect(() => {
    // Null: it took too long, so that the text stands there as it was typed.
    if (html === null) place.current?.replaceChildren(shown);
    else if (html !== undefined) place.current?.replaceChildren(sanitizeHtml(html));
    if (place.current) showPictures(place.current);
    return place.current ? reachTables(place.current) : undefined;
  }, [html]);

  function follow(event: MouseEvent) {
    const link = (event.target as Element).closest("a");
    const address = addressOf(link?.getAttribute("href") ?? null);
    const isOurs = address?.origin === location.origin && !address.pathname.startsWith("/api/");
    if (!isOurs || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    navigate(address.pathname + address.search);
  }
  return (
    <>
      <div ref={place} dir="auto" className={`${styles.text} ${html === null ? styles.plain : ""}`} onClick={follow} />
      {text.length > LONGEST && <p className={styles.rest}>{t("editor.preview_ends", { count: text.length - LONGEST })}</p>}
    </>
  );
}

/** Those that cannot be shown are what they are called. */
function showPictures(text: HTMLElement): void {
  for (const picture of text.querySelectorAll<HTMLImageElement>("img[data-picture]")) {
    loadPicture(picture.dataset.picture!).then(
      (data) => (picture.src = data),
      () => picture.replaceWith(picture.alt),
    );
  }
}

/** Tables that scroll are reached by the keyboard too, as long as they do. */
function reachTables(text: HTMLElement): (() => void) | undefined {
  const tables = text.querySelectorAll("table");
  if (tables.length === 0) return undefined;
  const observer = new ResizeObserver((changed) => {
    for (const { target } of changed) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  tables.forEach((table) => observer.observe(table));
  return () => observer.disconnect();
}
