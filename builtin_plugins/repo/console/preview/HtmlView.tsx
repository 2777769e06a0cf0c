import { useMemo, useState } from "react";
import { ToggleButton } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import browser from "../Browser.module.css";
import CodeView from "./CodeView";
import styles from "./Preview.module.css";
import { safeHtml } from "./safeHtml";

/**
 * A web page as somebody wrote it, without what it could do: it is cleaned, and stands in a frame of no origin that runs
 * no script, sends no form, and may load nothing at all.
 */
export default function HtmlView({ html, title }: { html: string; title: string }) {
  const t = useText();
  const [isSource, setSource] = useState(false);
  const page = useMemo(() => pageOf(safeHtml(html)), [html]);
  return (
    <>
      <div className={styles.partBar}>
        <span>{t("files.html_safe")}</span>
        <ToggleButton className={`${browser.toggle} ${styles.source}`} isSelected={isSource} onChange={setSource}>
          {t("files.source")}
        </ToggleButton>
      </div>
      {isSource ? <CodeView text={html} filename={title} /> : <iframe className={styles.frame} sandbox="" srcDoc={page} title={title} />}
    </>
  );
}

/** Laid out by attributes: the policy of the page, which holds in its frames too, allows no styles but those of files. */
function pageOf(body: string): string {
  return (
    `<!doctype html><html><head><meta charset="utf-8">` +
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:"></head>` +
    `<body bgcolor="#ffffff" text="#1b1f24" marginwidth="24" marginheight="16"><font face="system-ui, sans-serif">${body}</font></body></html>`
  );
}
