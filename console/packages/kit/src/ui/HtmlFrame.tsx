import { useMemo } from "react";

import { safeHtml } from "./safeHtml";

/**
 * A web page as somebody wrote it, without what it could do: it is cleaned, and stands in a frame of no origin that runs
 * no script, sends no form, and may load nothing at all.
 */
export default function HtmlFrame({ html, title, className }: { html: string; title: string; className?: string | undefined }) {
  const page = useMemo(() => pageOf(safeHtml(html)), [html]);
  return <iframe className={className} sandbox="" srcDoc={page} title={title} />;
}

/** Laid out by attributes: the policy of the page, which holds in its frames too, allows no styles but those of files. */
function pageOf(body: string): string {
  return (
    `<!doctype html><html><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:"></head>` +
    `<body bgcolor="#ffffff" text="#1b1f24" marginwidth="24" marginheight="16"><font face="system-ui, sans-serif">${body}</font></body></html>`
  );
}
