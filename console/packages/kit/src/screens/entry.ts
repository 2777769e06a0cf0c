/** What a plugin that ships brings to who is not signed in: pages, or parts of the page to sign in. */

import type { ComponentType } from "react";

import type { Problem } from "../api/problem";
import type { Load } from "./define";

/** A new session, as the server answers it. */
export interface SignedIn {
  token: string;
  expires_at: string;
}

/** Goes into the body of the login beside name and password, with what the form is called meanwhile. */
export interface Addition {
  title: string;
  body: Record<string, unknown>;
}

/** The page to sign in, as its parts have it. */
export interface Arriving {
  username: string;
  /** What the form sends: name, password, and what goes along with them. */
  login: Record<string, unknown>;
  isPending: boolean;
  addition: Addition | null;
  onAdd: (addition: Addition | null) => void;
  /** Signs in by a call of the part's own; where that throws, the page says why. */
  onSignIn: (call: () => Promise<SignedIn>) => void;
  /** The refusal that wants a second factor, once name and password were right. */
  wanted: Problem | null;
}

export interface EntryPages {
  signIn: Load<ComponentType<{ parts: readonly EntryParts[] }>>;
  setUp: Load<ComponentType>;
  activate: Load<ComponentType>;
  /** Signs in again in place, when a session has ended. */
  renewal: Load<ComponentType<{ isOpen: boolean; onLeave: () => void }>>;
  /** Signs in by the token of a link, before anything is drawn; or returns the page that asks first. */
  byLink: Load<(token: string) => Promise<ComponentType<{ onDone: () => void }> | null>>;
}

export interface EntryParts {
  pages?: EntryPages;
  /** Other ways in, below name and password. */
  ways?: ComponentType<Arriving>;
  /** In place of a code, as the second factor. */
  factor?: ComponentType<Arriving>;
  /** Why nobody was signed in elsewhere, as the page came with it. */
  refusal?: string | null;
  /** Goes along with name and password while that refusal stands; no other way in is offered then. */
  proves?: Record<string, unknown>;
}

/** The default export of a plugin's `console/entry.tsx`, which is there from the start: what it names is loaded later. */
export const defineEntry = (parts: EntryParts): EntryParts => parts;
