import { useEffect, useRef, useState } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { CodeBlock } from "@guildhall/console/ui/CodeBlock";
import styles from "./ArtifactPanel.module.css";

const FRAME = "/diagram-frame/index.html";
const PATIENCE_MS = 15_000;

/** A diagram that is drawn in a frame of no origin, whose policy lets it reach nothing; its words where it cannot be. */
export function Diagram({ text, name }: { text: string; name: string }) {
  const t = useText();
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState<number | null>(null);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    setBroken(false);
    setHeight(null);
    const late = setTimeout(() => setBroken(true), PATIENCE_MS);
    const send = () => frame.current?.contentWindow?.postMessage({ text, isDark: matchMedia("(prefers-color-scheme: dark)").matches }, "*");
    const hear = ({ source, data }: MessageEvent<{ ready?: boolean; height?: number; failed?: boolean }>) => {
      if (source !== frame.current?.contentWindow || typeof data !== "object" || data === null) return;
      if (data.ready) return send();
      clearTimeout(late);
      if (data.failed) setBroken(true);
      else if (typeof data.height === "number") setHeight(Math.min(4_000, Math.max(80, data.height)));
    };
    window.addEventListener("message", hear);
    // One that stands there already has said that it is ready.
    send();
    return () => {
      clearTimeout(late);
      window.removeEventListener("message", hear);
    };
  }, [text]);
  if (isBroken) {
    return (
      <>
        <p role="status">{t("chat.diagram_broken")}</p>
        <CodeBlock text={text} name={name} />
      </>
    );
  }
  return <iframe ref={frame} className={styles.frame} sandbox="allow-scripts" src={FRAME} title={name} height={height ?? 320} />;
}
