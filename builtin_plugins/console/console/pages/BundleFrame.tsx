import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useTexts } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { useAppearance } from "./appearance";
import { answerCall, MAX_AT_ONCE } from "./bridge";
import { callOf, type RowPattern } from "./frameCalls";
import styles from "./Parts.module.css";
import type { BundleSpec } from "./parts";

/** A plugin's own pages in a frame of an opaque origin; all it gets comes over one channel. */
export function BundleFrame({ plugin, title, spec }: { plugin: string; title: string; spec: BundleSpec }) {
  const ticket = useQuery({
    queryKey: ["ticket", plugin],
    queryFn: () => dataOf(api.POST("/api/x/{plugin}/ticket", { params: { path: { plugin } }, body: {} })),
    // A new ticket is a new address: the frame would be loaded anew under the hands of its reader, whatever else is
    // looked up again because the server was away.
    enabled: ({ state }) => state.data === undefined,
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  if (ticket.isPending) return <SkeletonRows />;
  if (ticket.isError) return <ProblemNotice problem={ticket.error} onRetry={() => void ticket.refetch()} />;
  return <Framed key={ticket.data.path} plugin={plugin} title={title} path={ticket.data.path} rows={spec.routes} />;
}

interface FramedProps {
  plugin: string;
  title: string;
  path: string;
  rows: readonly RowPattern[];
}

function Framed({ plugin, title, path, rows }: FramedProps) {
  const { locale } = useTexts();
  const theme = useAppearance();
  const frame = useRef<HTMLIFrameElement>(null);
  const port = useRef<MessagePort | null>(null);
  // Of the frame, and not of a channel: it may greet as often as it likes.
  const underWay = useRef(0);
  const given = useRef({ locale, theme, rows });
  useEffect(() => {
    given.current = { locale, theme, rows };
    port.current?.postMessage({ type: "appearance", locale, theme });
  }, [locale, theme, rows]);
  useEffect(() => {
    const onMessage = (event: MessageEvent) => {
      // Its origin is opaque, which is "null": who it is, is told by the window alone.
      if (event.source !== frame.current?.contentWindow || event.origin !== "null") return;
      if ((event.data as { guildhall?: unknown } | null)?.guildhall !== "hello") return;
      port.current?.close();
      const { port1, port2 } = new MessageChannel();
      port.current = port1;
      serve(port1, plugin, underWay, () => given.current.rows);
      const { locale: spoken, theme: look } = given.current;
      frame.current?.contentWindow?.postMessage({ guildhall: "welcome", locale: spoken, theme: look }, "*", [port2]);
    };
    window.addEventListener("message", onMessage);
    return () => {
      window.removeEventListener("message", onMessage);
      port.current?.close();
      port.current = null;
    };
  }, [plugin]);
  return (
    <iframe ref={frame} title={title} src={path} sandbox="allow-scripts" referrerPolicy="no-referrer" allow="" className={styles.frame} />
  );
}

function serve(port: MessagePort, plugin: string, underWay: { current: number }, rows: () => readonly RowPattern[]): void {
  port.onmessage = ({ data }) => {
    const call = callOf(data);
    if (!call) return;
    if (underWay.current >= MAX_AT_ONCE) {
      const body = { status: 429, code: "concurrency_exceeded", detail: `At most ${MAX_AT_ONCE} calls at once.` };
      port.postMessage({ type: "answer", id: call.id, status: 429, body });
      return;
    }
    underWay.current += 1;
    void answerCall(plugin, rows(), call)
      .then((answer) => port.postMessage(answer))
      .finally(() => {
        underWay.current -= 1;
      });
  };
}
