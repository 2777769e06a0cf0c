/** The documents that a run made, as the artifacts in its outputs name them. */

import { isRecord } from "../workflows/spec";
import type { Run } from "./run";

export interface MadeDocument {
  id: string;
  name: string;
}

const MOST = 20;
const LOOKED_AT = 2_000;

export function documentsMadeBy(run: Run): MadeDocument[] {
  const made = new Map<string, MadeDocument>();
  let looked = 0;
  const look = (value: unknown): void => {
    if (looked++ > LOOKED_AT || made.size >= MOST) return;
    if (Array.isArray(value)) value.forEach(look);
    else if (isRecord(value)) {
      const { kind, object_id: id, title } = value;
      if (kind === "document" && typeof id === "string") made.set(id, { id, name: typeof title === "string" && title ? title : id });
      else Object.values(value).forEach(look);
    }
  };
  run.steps.forEach(({ output }) => look(output));
  return [...made.values()];
}
