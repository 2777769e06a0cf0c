/** Who is signed in, and what they may do. */

import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { createContext, useCallback, useContext, useSyncExternalStore, type ReactNode } from "react";
import { useLocation } from "wouter";

import { api, dataOf } from "../api/client";
import type { paths } from "../api/schema";
import { useText } from "../i18n/texts";
import { useAnnounce } from "../ui/Toasts";
import { signOut, sessions, tokensOf } from "./store";

export type Identity = paths["/api/whoami"]["get"]["responses"]["200"]["content"]["application/json"];

const IdentityContext = createContext<Identity | null>(null);

export const useSession = () => useSyncExternalStore(sessions.subscribe, () => sessions.current);

export function useIdentityQuery() {
  const session = useSession();
  return useQuery({
    // Of the person and not of the session: what they see stays while one session follows another.
    queryKey: ["whoami", session ? sessions.generation : null],
    queryFn: () => dataOf(api.GET("/api/whoami")),
    enabled: session !== null,
    staleTime: 30_000,
    refetchOnWindowFocus: true,
  });
}

export function IdentityProvider({ identity, children }: { identity: Identity; children: ReactNode }) {
  return <IdentityContext value={identity}>{children}</IdentityContext>;
}

export function useIdentity(): Identity {
  const identity = useContext(IdentityContext);
  if (!identity) throw new Error("useIdentity outside of IdentityProvider");
  return identity;
}

/** As `useMay`, also before anybody is signed in, when nobody holds anything. */
export function useHolds(): (permission: string) => boolean {
  const identity = useContext(IdentityContext);
  return (permission) => identity?.permissions.includes(permission) ?? false;
}

/** Whether the caller holds a permission: what they may not do is not shown. */
export function useMay(): (permission: string) => boolean {
  const { permissions } = useIdentity();
  return useCallback((permission: string) => permissions.includes(permission), [permissions]);
}

export function useSignOut(): () => Promise<void> {
  return useCallback(async () => {
    const elsewhere = await signOut(tokensOf(sessions.current));
    sessions.end();
    if (elsewhere) window.location.assign(elsewhere);
  }, []);
}

/** Goes on in another of one's teams, at home, and says so: nothing of the one before stays in memory or on the screen. */
export function useSwitchTeam(): (team: Identity["teams"][number]) => Promise<void> {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useCallback(
    async ({ id, name }) => {
      const switched = await dataOf(api.POST("/api/session/team", { body: { team: id } })).catch(() => null);
      if (!switched) return announce(t("error.title"));
      // Known before the switch, so that the frame stays and only what it shows changes.
      const response = await fetch("/api/whoami", { headers: { Authorization: `Bearer ${switched.token}` } });
      const next = sessions.generation + 1;
      if (response.ok) client.setQueryData(["whoami", next], await response.json());
      client.setQueryData(["branding", next], client.getQueryData(["branding", sessions.generation]));
      // In the same breath: the screen that is left would ask in the new team, where it may be refused.
      navigate("/");
      const before = tokensOf(sessions.current);
      sessions.begin({ token: switched.token, expiresAt: switched.expires_at, kept: sessions.current?.kept ?? false, before });
      announce(t("nav.switched_team", { name }));
    },
    [client, navigate, announce, t],
  );
}

/** What is the same whoever asks, or is asked for by its person. */
const SHARED = new Set(["config", "catalog", "branding", "whoami"]);

/** Whoever comes next, in this tab, finds nothing of who was here before. */
export function forgetWithSession(client: QueryClient): void {
  let person = sessions.generation;
  sessions.subscribe((session) => {
    if (session && sessions.generation === person) return;
    person = sessions.generation;
    client.removeQueries({ predicate: ({ queryKey }) => !SHARED.has(String(queryKey[0])) });
    client.getMutationCache().clear();
  });
}
