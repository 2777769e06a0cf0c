import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { beginConnection } from "@guildhall/console/api/connection";
import { Problem } from "@guildhall/console/api/problem";
import { App } from "./App";
import { entryPages } from "./entry";
import { forgetWithSession } from "@guildhall/console/session/identity";
import { forgetSeen } from "./session/seen";
import { sessions } from "@guildhall/console/session/store";
import { beginPreferences } from "@guildhall/console/theme/preferences";
import "@guildhall/console/theme/theme.css";

const MAX_RETRIES = 2;

const SUSPENDED = 402;

/** Somebody suspended the company or turned something off meanwhile: the frame and the gates say so. */
function hearRefusal(cause: unknown): void {
  if (!(cause instanceof Problem)) return;
  const stale = cause.status === SUSPENDED ? ["whoami"] : cause.code === "feature_disabled" ? ["features", "plugins", "ui"] : [];
  for (const name of stale) void client.invalidateQueries({ queryKey: [name] });
}

const client = new QueryClient({
  mutationCache: new MutationCache({ onError: hearRefusal }),
  queryCache: new QueryCache({ onError: hearRefusal }),
  defaultOptions: {
    // A server that is away is told at once, and asked again by the frame.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      staleTime: 10_000,
      // A screen that one comes back to stands there at once, and is looked up again.
      gcTime: 30 * 60_000,
      // A refusal is final; a server that is away may be back.
      retry: (failures, cause) => !(cause instanceof Problem && cause.status >= 400 && cause.status < 500) && failures < MAX_RETRIES,
    },
  },
});

async function begin(): Promise<void> {
  const token = location.pathname === "/login" && new URLSearchParams(location.hash.slice(1)).get("token");
  const asking = token ? await entryPages.byLink().then(({ default: signInByLink }) => signInByLink(token)) : null;
  await sessions.askOtherTabs();
  forgetSeen();
  createRoot(document.getElementById("root")!).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App asking={asking} />
      </QueryClientProvider>
    </StrictMode>,
  );
}

beginPreferences();
beginConnection();
forgetWithSession(client);
void begin();
