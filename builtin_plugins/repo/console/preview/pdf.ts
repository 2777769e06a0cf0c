/** PDFs by pdf.js: it computes in a worker, runs no script of a file and evaluates nothing. */

import { getDocument, GlobalWorkerOptions, PDFDataRangeTransport, version as pdfVersion, type PDFDocumentLoadingTask, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import workerAddress from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?url";

import { fetchPart } from "../download";

GlobalWorkerOptions.workerSrc = workerAddress;

const PART_BYTES = 256 * 1024;
/** Character maps of Asian scripts, the fonts that every reader has, and what decodes JPEG 2000: copied there by `pack.mjs`. */
const PARTS = `/assets/pdf-${pdfVersion}/`;

/** Hands out the parts that are asked for: a long document is not loaded whole to show its first page. */
class Parts extends PDFDataRangeTransport {
  private readonly stopping = new AbortController();

  constructor(
    private readonly id: string,
    private readonly version: number,
    size: number,
    private readonly onProblem: (problem: unknown) => void,
  ) {
    super(size, null);
  }

  override requestDataRange(start: number, end: number): void {
    fetchPart(this.id, this.version, start, end, this.stopping.signal).then(
      (part) => this.onDataRange(start, new Uint8Array(part)),
      (problem: unknown) => !this.stopping.signal.aborted && this.onProblem(problem),
    );
  }

  override abort(): void {
    this.stopping.abort();
  }
}

/** Begins to open a document; a part that cannot be had is told to `onProblem`. */
export function openPdf(id: string, version: number, size: number, onProblem: (problem: unknown) => void): PDFDocumentLoadingTask {
  return getDocument({
    range: new Parts(id, version, size, onProblem),
    rangeChunkSize: PART_BYTES,
    disableAutoFetch: true,
    disableStream: true,
    verbosity: 0,
    isEvalSupported: false,
    useWasm: false,
    enableXfa: false,
    wasmUrl: PARTS,
    cMapUrl: `${PARTS}cmaps/`,
    cMapPacked: true,
    standardFontDataUrl: `${PARTS}standard_fonts/`,
    // Those of a device have other widths: a page looks the same on all of them.
    useSystemFonts: false,
    // The page asks for them: its policy is the one that is known.
    useWorkerFetch: false,
  });
}

/** So many pages are looked at before a document counts as one without text. */
const LOOKED_AT = 3;

/** Whether a document is pictures of pages, as a scanner makes them: its first pages have no text. */
export async function isScan(document: PDFDocumentProxy): Promise<boolean> {
  for (let number = 1; number <= Math.min(LOOKED_AT, document.numPages); number += 1) {
    const { items } = await (await document.getPage(number)).getTextContent();
    if (items.some((item) => "str" in item && item.str.trim() !== "")) return false;
  }
  return true;
}
