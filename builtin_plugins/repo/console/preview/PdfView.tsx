import { ZoomIn, ZoomOut } from "lucide-react";
import { TextLayer, type PDFDocumentProxy, type PDFPageProxy, type RenderTask } from "pdfjs-dist/legacy/build/pdf.mjs";
import { useEffect, useRef, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { isScan, openPdf } from "./pdf";
import styles from "./PdfView.module.css";
import { NoPreview, type PreviewProps } from "./Preview";

interface Size {
  width: number;
  height: number;
}

/** A point of a PDF in pixels of CSS. */
const POINT = 96 / 72;
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
const GUTTER_PX = 24;
/** So far around what is seen, pages are drawn. */
const AHEAD = "600px 0px";

/** A PDF page by page: those near what is seen are drawn, and their text can be selected and read out. */
export default function PdfView({ object, version }: PreviewProps) {
  const t = useText();
  const [pdf, setPdf] = useState<{ document: PDFDocumentProxy; first: Size } | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  const { id } = object;
  const { version: number, size } = version;
  useEffect(() => {
    setPdf(null);
    setProblem(null);
    const task = openPdf(id, number, size, setProblem);
    task.promise
      .then(async (document) => {
        const { width, height } = (await document.getPage(1)).getViewport({ scale: 1 });
        setPdf({ document, first: { width, height } });
      })
      .catch(setProblem);
    return () => void task.destroy();
  }, [id, number, size, attempt]);
  if (problem instanceof Error && /^(Password|InvalidPDF|FormatError)/.test(problem.name)) {
    return <NoPreview object={object} version={version} text={t(problem.name === "PasswordException" ? "files.pdf_locked" : "files.broken")} />;
  }
  if (problem !== null) return <ProblemNotice problem={problem} onRetry={() => setAttempt(attempt + 1)} />;
  if (!pdf) return <SkeletonRows />;
  return <Pages document={pdf.document} first={pdf.first} />;
}

function Pages({ document, first }: { document: PDFDocumentProxy; first: Size }) {
  const t = useText();
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(0);
  const [zoom, setZoom] = useState(1);
  const [page, setPage] = useState(1);
  const isPictures = useIsScan(document);
  useEffect(() => {
    if (!scroller) return;
    const observer = new ResizeObserver(() => setWidth(scroller.clientWidth));
    observer.observe(scroller);
    return () => observer.disconnect();
  }, [scroller]);
  // As wide as the place, and no wider than on paper, unless one looks closer.
  const scale = Math.min(POINT, Math.max(0.1, (width - GUTTER_PX) / first.width)) * zoom;
  const onScroll = () => {
    if (!scroller) return;
    const line = scroller.scrollTop + scroller.clientHeight / 3;
    const pages = [...scroller.querySelectorAll<HTMLElement>("[data-page]")];
    setPage(Math.max(1, pages.findLastIndex((one) => one.offsetTop <= line) + 1));
  };
  const step = (by: 1 | -1) => setZoom(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(zoom) + by))] ?? 1);
  return (
    <div className={styles.pdf}>
      <div className={styles.bar}>
        <span>{t("files.page_of", { page, count: document.numPages })}</span>
        <Button kind="quiet" aria-label={t("files.zoom_out")} isDisabled={zoom === ZOOMS[0]} onPress={() => step(-1)}>
          <ZoomOut size={16} />
        </Button>
        <Button kind="quiet" aria-label={t("files.zoom_in")} isDisabled={zoom === ZOOMS.at(-1)} onPress={() => step(1)}>
          <ZoomIn size={16} />
        </Button>
        {isPictures && (
          <span role="note" className={styles.scan}>
            {t("files.pdf_scan")}
          </span>
        )}
      </div>
      <div ref={setScroller} className={styles.pages} tabIndex={0} role="region" aria-label={t("files.show_preview")} onScroll={onScroll}>
        {scroller && width > 0 && Array.from({ length: document.numPages }, (_, at) => (
          <Page key={at} document={document} number={at + 1} scale={scale} first={first} scroller={scroller} />
        ))}
      </div>
    </div>
  );
}

/** Known after the first pages were read, which nobody waits for. */
function useIsScan(document: PDFDocumentProxy): boolean {
  const [found, setFound] = useState(false);
  useEffect(() => {
    let isOver = false;
    isScan(document).then((is) => !isOver && setFound(is), () => undefined);
    return () => {
      isOver = true;
    };
  }, [document]);
  return found;
}

interface PageProps {
  document: PDFDocumentProxy;
  number: number;
  scale: number;
  first: Size;
  scroller: HTMLElement;
}

function Page({ document, number, scale, first, scroller }: PageProps) {
  const t = useText();
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  const [own, setOwn] = useState<Size | null>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting ?? false), { root: scroller, rootMargin: AHEAD });
    if (place.current) observer.observe(place.current);
    return () => observer.disconnect();
  }, [scroller]);
  useEffect(() => {
    const box = place.current;
    if (!isNear || !box) return;
    let stop: (() => void) | null = null;
    let isOver = false;
    void document.getPage(number).then((page) => {
      if (isOver) return;
      const { width, height } = page.getViewport({ scale: 1 });
      setOwn({ width, height });
      stop = draw(page, box, scale);
    }, () => undefined); // A page that is broken stays empty; the others are shown.
    return () => {
      isOver = true;
      stop?.();
    };
  }, [document, number, scale, isNear]);
  const { width, height } = own ?? first;
  return (
    <div
      ref={place}
      data-page={number}
      role="group"
      aria-label={t("files.page", { page: number })}
      className={styles.page}
      style={{ width: Math.floor(width * scale), height: Math.floor(height * scale) }}
    />
  );
}

/** Draws a page into its box, sharp on any screen, with its text over it; returns what takes it away. */
function draw(page: PDFPageProxy, box: HTMLElement, scale: number): () => void {
  const viewport = page.getViewport({ scale });
  const density = Math.min(2, window.devicePixelRatio || 1);
  const canvas = window.document.createElement("canvas");
  canvas.width = Math.floor(viewport.width * density);
  canvas.height = Math.floor(viewport.height * density);
  canvas.setAttribute("aria-hidden", "true");
  const words = window.document.createElement("div");
  words.className = styles.words ?? "";
  words.style.setProperty("--total-scale-factor", String(scale));
  const task: RenderTask = page.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] });
  const text = new TextLayer({ textContentSource: page.streamTextContent(), container: words, viewport });
  box.replaceChildren(canvas, words);
  task.promise.catch(() => undefined);
  text.render().catch(() => undefined);
  return () => {
    task.cancel();
    text.cancel();
    box.replaceChildren();
    // Otherwise its pixels stay until nobody knows when.
    canvas.width = canvas.height = 0;
  };
}
