import { useEffect } from "react";

import { useInstance } from "@guildhall/console/instance";

/** The title of the tab: where one is, and whose place this is. */
export function DocumentTitle({ place }: { place?: string | undefined }) {
  const { branding } = useInstance();
  const title = place ? `${place} · ${branding.title}` : branding.title;
  useEffect(() => {
    document.title = title;
  }, [title]);
  return null;
}
