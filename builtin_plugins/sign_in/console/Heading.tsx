import type { ReactNode } from "react";

import { PageHead, SectionHead } from "@guildhall/console/ui/PageHead";
import { COMPANY, type Place } from "./way";

/** The heading of a screen, or below the company's own that of a part of it. */
export function Heading({ place, title, text, children }: { place: Place; title: string; text: string; children?: ReactNode }) {
  if (place !== COMPANY) {
    return (
      <PageHead title={title} {...(text && { text })}>
        {children}
      </PageHead>
    );
  }
  return (
    <>
      <SectionHead title={title}>{children}</SectionHead>
      {text && <p>{text}</p>}
    </>
  );
}
