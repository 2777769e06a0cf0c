/** What the menus of a screen offer, for the palette to offer it too. */

import { useEffect, useRef, type RefObject } from "react";

export interface Offer {
  name: string;
  act: () => void;
}

type Give = () => Offer[];
const menus = new Set<Give>();

/** Offers what a menu has for as long as its button is seen; of the menus of rows, that of the row where one is. */
export function useOffers(button: RefObject<HTMLElement | null>, offers: Offer[]): void {
  const latest = useRef(offers);
  latest.current = offers;
  useEffect(() => {
    const give = () => {
      const row = button.current?.closest("[data-line], [role=row]");
      const isHere = !row || row.contains(document.activeElement) || row.id === document.activeElement?.getAttribute("aria-activedescendant");
      return isHere && button.current?.checkVisibility() ? latest.current : [];
    };
    menus.add(give);
    return () => void menus.delete(give);
  }, [button]);
}

/** All that can be done where one is: by the buttons in the head of the screen, and by its menus. */
export function offersHere(): Offer[] {
  const buttons = [...document.querySelectorAll<HTMLElement>("main [data-begin] button:not([aria-haspopup]), main [data-begin] a")];
  const seen = buttons.filter((each) => each.checkVisibility() && !each.matches(":disabled"));
  const pressed = seen.map((each) => ({ name: each.ariaLabel ?? each.textContent, act: () => each.click() }));
  return [...pressed.filter(({ name }) => name.trim()), ...[...menus].flatMap((give) => give())];
}
