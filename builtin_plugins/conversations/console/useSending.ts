import { useState } from "react";

import { Problem } from "@guildhall/console/api/problem";

/** Sends a form, and keeps why it was refused, until it is sent again. */
export function useSending() {
  const [problem, setProblem] = useState<unknown>(null);
  async function send(work: () => Promise<unknown>): Promise<void> {
    setProblem(null);
    try {
      await work();
    } catch (cause) {
      setProblem(cause);
    }
  }
  /** What was said of a field, by its pointer. */
  const faultAt = (pointer: string) => {
    const fault = problem instanceof Problem ? problem.at(pointer) : undefined;
    return fault === undefined ? {} : { fault };
  };
  return { problem, send, faultAt };
}
