import type { ReactNode } from "react";

import { useText } from "@guildhall/console/i18n/texts";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { NoPreview, type PreviewProps } from "../Preview";
import { useOffice } from "./useOffice";

interface OfficeViewProps<Read> extends PreviewProps {
  kind: string;
  read: (bytes: ArrayBuffer) => Promise<Read>;
  children: (content: Read) => ReactNode;
}

/** A document of an office program once it is read, or why it is not shown. */
export function OfficeView<Read>({ object, version, kind, read, children }: OfficeViewProps<Read>) {
  const t = useText();
  const { bytes, content } = useOffice(kind, object.id, version.version, read);
  if (bytes.isLoadingError) return <ProblemNotice problem={bytes.error} onRetry={() => void bytes.refetch()} />;
  if (content.isError) return <NoPreview object={object} version={version} text={t("files.broken")} />;
  if (content.data === undefined) return <SkeletonRows />;
  return children(content.data);
}
