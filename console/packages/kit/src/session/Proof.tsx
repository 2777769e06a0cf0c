import { Suspense, useEffect, useRef, useState } from "react";

import { onProofWanted } from "../api/client";
import { lazyPart } from "../ui/lazyPart";

// Dialogs are much code: this one is loaded when the server asks first.
const ProofDialog = lazyPart(() => import("./ProofDialog"));

/** Before what a stolen session must not do the server asks who is there: all that waits goes on after one answer. */
export function Proof() {
  const waiting = useRef<((isProven: boolean) => void)[]>([]);
  const [isAsked, setAsked] = useState(false);
  const answer = (isProven: boolean) => {
    setAsked(false);
    waiting.current.splice(0).forEach((go) => go(isProven));
  };
  useEffect(() => {
    onProofWanted(() => {
      setAsked(true);
      return new Promise((go) => waiting.current.push(go));
    });
    return () => onProofWanted(null);
  }, []);
  return <Suspense fallback={null}>{isAsked && <ProofDialog onProven={() => answer(true)} onClose={() => answer(false)} />}</Suspense>;
}
