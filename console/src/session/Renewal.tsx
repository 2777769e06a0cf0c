import { useEffect, useState } from "react";

import { onSessionEnd } from "@guildhall/console/api/client";
import { Problem } from "@guildhall/console/api/problem";
import { useSession } from "@guildhall/console/session/identity";
import { sessions } from "@guildhall/console/session/store";
import { loadPatiently } from "@guildhall/console/ui/lazyPart";
import { entryPages } from "../entry";
import { useLater } from "../frame/useLater";

// After the first screen, and not when it is needed: the server may be another one by then.
const loadDialog = entryPages.renewal;
type Dialog = Awaited<ReturnType<typeof loadDialog>>["default"];

interface Waiting {
  resolve: () => void;
  reject: (cause: Problem) => void;
}

/** Asks for the password in place when the session has ended; what waited for it goes on afterwards. */
export function Renewal() {
  const session = useSession();
  const isLater = useLater();
  const [waiting, setWaiting] = useState<Waiting[]>([]);
  const [endedToken, setEndedToken] = useState<string | null>(null);
  const [RenewalDialog, setDialog] = useState<Dialog | null>(null);
  const isNeeded = isLater || waiting.length > 0;
  useEffect(() => {
    if (isNeeded) void loadPatiently(loadDialog).then(({ default: dialog }) => setDialog(() => dialog), () => undefined);
  }, [isNeeded]);
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
  return RenewalDialog && <RenewalDialog isOpen={waiting.length > 0} onLeave={leave} />;
}
