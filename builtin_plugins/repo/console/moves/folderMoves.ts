/** Folders that are moved: jobs on the server, which go on while one looks at something else. */

import { useSyncExternalStore } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { Unreachable } from "@guildhall/console/api/problem";
import { sessions } from "@guildhall/console/session/store";

export interface Skipped {
  id: string;
  key: string;
  code: string;
}

export interface FolderMove {
  id: string;
  from: string;
  to: string;
  state: "moving" | "done" | "failed";
  /** From 0 to 1. */
  progress: number;
  moved: number;
  left: number;
  skipped: readonly Skipped[];
  problem: unknown;
}

interface Result {
  moved: number;
  left: number;
  skipped: Skipped[];
}

const KIND = "repo.move_folder";
const FIRST_LOOK_MS = 300;
const LONGEST_PAUSE_MS = 3_000;

let moves: readonly FolderMove[] = [];
const listeners = new Set<() => void>();

function set(next: readonly FolderMove[]): void {
  moves = next;
  listeners.forEach((listener) => listener());
}

/** Shows a move as it is now, unless it was taken off the list. */
function show(move: FolderMove): FolderMove {
  set(moves.map((one) => (one.id === move.id ? move : one)));
  return move;
}

/** Takes something off what was left: it has been seen to. */
export function settleSkipped(move: FolderMove, skippedId: string): FolderMove {
  return show({ ...move, left: move.left - 1, skipped: move.skipped.filter(({ id }) => id !== skippedId) });
}

export const dismissMove = (id: string): void => set(moves.filter((move) => move.id !== id));

// What one person moves is not shown to whoever signs in after them.
let mover = sessions.generation;
let isResumed = false;
sessions.subscribe(() => {
  if (sessions.generation !== mover) {
    set([]);
    isResumed = false;
  }
  mover = sessions.generation;
});

/** Has a folder moved; returns what came of it when the job has ended, and throws where it was refused. */
export async function moveFolder(from: string, to: string): Promise<FolderMove> {
  const { id } = await dataOf(api.POST("/api/repo-folders/move", { body: { from, to } }));
  return watch(id, from, to);
}

/** The moves that somebody has under way which this page does not know: it was loaded anew since. Each page looks once. */
export async function movesUnderWay(userId: string): Promise<Promise<FolderMove>[]> {
  if (isResumed) return [];
  isResumed = true;
  const load = (state: "queued" | "running") => dataOf(api.GET("/api/jobs", { params: { query: { kind: KIND, state, limit: 200 } } }));
  const jobs = (await Promise.all([load("queued"), load("running")])).flatMap(({ items }) => items);
  const own = jobs.filter((job) => job.user_id === userId && !moves.some(({ id }) => id === job.id));
  return own.map(({ id, payload }) => {
    const { from, to } = payload as { from: string; to: string };
    return watch(id, from, to);
  });
}

async function watch(id: string, from: string, to: string): Promise<FolderMove> {
  let move: FolderMove = { id, from, to, state: "moving", progress: 0, moved: 0, left: 0, skipped: [], problem: null };
  set([...moves.filter((one) => one.id !== id), move]);
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LONGEST_PAUSE_MS, pause * 1.3)) {
    await after(pause);
    const { state, progress, result, error } = await look(id);
    if (state !== "queued" && state !== "running") {
      const counts = (result ?? { moved: 0, left: 0, skipped: [] }) as Result;
      return show({ ...move, ...counts, progress: 1, state: state === "succeeded" ? "done" : "failed", problem: error });
    }
    move = show({ ...move, progress: progress ?? 0 });
  }
}

/** Looks how far a job is; a moment without a network is none to give up for. */
async function look(id: string) {
  for (;;) {
    try {
      return await dataOf(api.GET("/api/jobs/{id}", { params: { path: { id } } }));
    } catch (problem) {
      if (!(problem instanceof Unreachable)) throw problem;
      await after(LONGEST_PAUSE_MS);
    }
  }
}

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useFolderMoves = (): readonly FolderMove[] => useSyncExternalStore(subscribe, () => moves);
