import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { mediaType } from "@guildhall/console/ui/sizes";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { NoPreview, type PreviewProps } from "./Preview";
import styles from "./Preview.module.css";

/** Sound or a film in the browser's own player, which sends no bearer: its address is a ticket, which ends. */
export default function MediaView({ object, version }: PreviewProps) {
  const t = useText();
  const ticket = useQuery({
    queryKey: ["file-playback", object.id, version.version],
    queryFn: () => dataOf(api.POST("/api/repo-obj/{id}/playback", { params: { path: { id: object.id } }, body: { version: version.version } })),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const place = useRef(0);
  const [isBroken, setBroken] = useState(false);
  if (ticket.isPending) return <SkeletonRows />;
  if (ticket.isLoadingError) return <ProblemNotice problem={ticket.error} onRetry={() => void ticket.refetch()} />;
  if (isBroken) return <NoPreview object={object} version={version} text={t("files.not_played")} />;
  const { path, expires_at: end } = ticket.data;
  const player = {
    key: path,
    src: path,
    controls: true,
    preload: "metadata",
    "aria-label": object.filename,
    onTimeUpdate: ({ currentTarget }: { currentTarget: HTMLMediaElement }) => (place.current = currentTarget.currentTime || place.current),
    onLoadedMetadata: ({ currentTarget }: { currentTarget: HTMLMediaElement }) => {
      if (place.current > 0) currentTarget.currentTime = place.current;
    },
    // A ticket that has ended is asked for anew, and it goes on where it was.
    onError: () => (Date.now() >= Date.parse(end) ? void ticket.refetch() : setBroken(true)),
  } as const;
  const { key, ...rest } = player;
  return mediaType(version.content_type).startsWith("audio/") ? (
    <audio key={key} {...rest} className={styles.audio} />
  ) : (
    <video key={key} {...rest} playsInline className={styles.video} />
  );
}
