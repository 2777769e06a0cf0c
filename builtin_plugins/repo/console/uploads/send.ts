/** One upload by XMLHttpRequest, which tells how far it is. */

import { api } from "@guildhall/console/api/client";
import { connection } from "@guildhall/console/api/connection";
import { Problem, Unreachable, type ProblemBody } from "@guildhall/console/api/problem";
import { sessions } from "@guildhall/console/session/store";
import type { StoredObject } from "../objects";
import { isReadable, unreadable } from "./content";
import type { Send, Sent, Wanted } from "./queue";

const UNAUTHENTICATED = 401;
const MAX_ATTEMPTS = 4;

/** The address of a key: its slashes stand, everything else is encoded. */
export const addressOf = (key: string) => `/api/repo/${key.split("/").map(encodeURIComponent).join("/")}`;

export const send: Send = async (wanted, onSent, signal) => {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await sendOnce(wanted, onSent, signal);
    if ("object" in outcome) return outcome;
    const { problem, isWhole } = outcome;
    if (problem.status === UNAUTHENTICATED && attempt < MAX_ATTEMPTS) {
      // Asks for the password in place; what waited goes on afterwards.
      await api.GET("/api/whoami");
    } else if (problem instanceof Unreachable && !signal.aborted && !(await isReadable(wanted.file))) {
      throw unreadable();
    } else if (problem instanceof Unreachable && !isWhole && attempt < MAX_ATTEMPTS) {
      // Only what cannot have arrived: a second time would be a second version.
      connection.lost();
      await connection.back(signal);
    } else {
      throw problem;
    }
    if (signal.aborted) throw problem;
  }
};

type Outcome = Sent | { problem: Problem; isWhole: boolean };

function sendOnce({ key, file }: Wanted, onSent: (bytes: number) => void, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    let isWhole = false;
    const stop = () => request.abort();
    signal.addEventListener("abort", stop, { once: true });
    const end = (outcome: Outcome) => {
      signal.removeEventListener("abort", stop);
      resolve(outcome);
    };
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.upload.onload = () => (isWhole = true);
    request.onload = () => {
      if (request.status === 200 || request.status === 201) {
        end({ object: JSON.parse(request.responseText) as StoredObject, isNewVersion: request.status === 200 });
      } else {
        end({ problem: problemIn(request), isWhole });
      }
    };
    request.onerror = () => end({ problem: new Unreachable(), isWhole });
    request.onabort = () => end({ problem: new Unreachable(), isWhole });
    request.open("PUT", addressOf(key));
    request.setRequestHeader("Authorization", `Bearer ${sessions.current?.token ?? ""}`);
    // Without a type of its own the server judges by the name.
    request.setRequestHeader("Content-Type", file.type || "application/x-www-form-urlencoded");
    request.send(file);
  });
}

function problemIn(request: XMLHttpRequest): Problem {
  const after = Number(request.getResponseHeader("Retry-After"));
  try {
    return new Problem(JSON.parse(request.responseText) as ProblemBody, after > 0 ? after : null);
  } catch {
    return new Problem({ title: request.statusText, status: request.status, detail: "", code: `http_${request.status}` });
  }
}
