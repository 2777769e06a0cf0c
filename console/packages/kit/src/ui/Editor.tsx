import { Suspense } from "react";

import styles from "./Editor.module.css";
import { lazyPart } from "./lazyPart";
import { SkeletonRows } from "./Skeleton";

export interface EditorProps {
  value: string;
  onChange?: (value: string) => void;
  language: "markdown" | "plain" | "json";
  /** Its accessible name. */
  label: string;
  isReadOnly?: boolean;
  isInvalid?: boolean;
  autoFocus?: boolean;
  /** As tall as what is written, from a few lines on; otherwise it fills its place and scrolls. */
  grows?: boolean;
  /** What is wrong with which line; said below it. */
  marks?: readonly LineMark[];
  /** A line to go to: each new object goes there once. */
  goTo?: { line: number } | null;
}

export interface LineMark {
  /** From 1. */
  line: number;
  message: string;
}

const CodeArea = lazyPart(() => import("./CodeArea"));

/** A text to write in, of any length; loaded when one is first opened. */
export function Editor(props: EditorProps) {
  return (
    <div className={styles.frame} data-grows={props.grows ? "" : undefined} data-invalid={props.isInvalid ? "" : undefined}>
      <Suspense fallback={<SkeletonRows count={4} />}>
        <CodeArea {...props} />
      </Suspense>
    </div>
  );
}
