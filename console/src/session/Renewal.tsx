import { Suspense, useEffect, useState } from "react";

import { onSessionEnd } from "../api/client";
import { Problem } from "../api/problem";
import { useSession } from "./identity";
import { sessions } from "./store";
import { lazyPart } from "../ui/lazyPart";

// After the first screen, and not when it is needed: the server may be another one by then.
const RenewalDialog = lazyPart(() => import("./RenewalDialog"));

interface Waiting {
  resolve: () => void;
  reject: (cause: Problem) => void;
}

/** Asks for the password in place when the session has ended; what waited for it goes on afterwards. */
export function Renewal() {
  const session = useSession();
  const [waiting, setWaiting] = useState<Waiting[]>([]);
  const [endedToken, setEndedToken] = useState<string | null>(null);
  useEffect(() => {
    onSessionEnd(() => {
      setEndedToken(sessions.current?.token ?? null);
      return new Promise((resolve, reject) => setWaiting((before) => [...before, { resolve, reject }]));
    });
    return () => onSessionEnd(null);
  }, []);
  // Signed in again, here or in another tab: everybody who waited goes on.
  useEffect(() => {
    if (waiting.length === 0 || !session || session.token === endedToken) return;
    waiting.forEach(({ resolve }) => resolve());
    setWaiting([]);
  }, [session, waiting, endedToken]);

  function leave() {
    const ended = new Problem({ title: "", status: 401, detail: "", code: "unauthenticated" });
    waiting.forEach(({ reject }) => reject(ended));
    setWaiting([]);
    sessions.end();
  }
  return (
    <Suspense fallback={null}>
      <RenewalDialog isOpen={waiting.length > 0} onLeave={leave} />
    </Suspense>
  );
}
