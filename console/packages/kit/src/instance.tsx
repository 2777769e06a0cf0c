/** What everybody may know of this instance: its configuration and how it looks here. */

import { createContext, useContext, type ReactNode } from "react";

import { api, dataOf } from "./api/client";
import { Problem } from "./api/problem";
import type { paths } from "./api/schema";

export type Config = paths["/api/config"]["get"]["responses"]["200"]["content"]["application/json"];
export type Branding = paths["/api/branding"]["get"]["responses"]["200"]["content"]["application/json"];

export interface Instance {
  config: Config;
  branding: Branding;
  /** Looks again, after something that changes it. */
  reload: () => void;
}

const InstanceContext = createContext<Instance | null>(null);

export const loadConfig = () => dataOf(api.GET("/api/config"));

/** Where the server has no brandings, it looks as its first page does. */
export async function loadBranding(): Promise<Branding> {
  try {
    return await dataOf(api.GET("/api/branding"));
  } catch (cause) {
    if (cause instanceof Problem && cause.status === 404) return { title: document.title, tagline: "", logo: null, own: false, theme: {}, palette: {} };
    throw cause;
  }
}

export function InstanceProvider({ instance, children }: { instance: Instance; children: ReactNode }) {
  return <InstanceContext value={instance}>{children}</InstanceContext>;
}

export function useInstance(): Instance {
  const instance = useContext(InstanceContext);
  if (!instance) throw new Error("useInstance outside of InstanceProvider");
  return instance;
}
