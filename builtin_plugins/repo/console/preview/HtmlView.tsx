import { useState } from "react";
import { ToggleButton } from "react-aria-components";

import { useText } from "@guildhall/console/i18n/texts";
import HtmlFrame from "@guildhall/console/ui/HtmlFrame";
import browser from "../Browser.module.css";
import CodeView from "./CodeView";
import styles from "./Preview.module.css";

/** A web page in a frame in which it can do nothing, or as it is written. */
export default function HtmlView({ html, title }: { html: string; title: string }) {
  const t = useText();
  const [isSource, setSource] = useState(false);
  return (
    <>
      <div className={styles.partBar}>
        <span>{t("files.html_safe")}</span>
        <ToggleButton className={`${browser.toggle} ${styles.source}`} isSelected={isSource} onChange={setSource}>
          {t("files.source")}
        </ToggleButton>
      </div>
      {isSource ? <CodeView text={html} filename={title} /> : <HtmlFrame className={styles.frame} html={html} title={title} />}
    </>
  );
}
