export interface Thing {
  id: string;
  label: string;
  borrower: string | null;
  due_at: string | null;
}

const DAY = 86_400_000;

/** How many things come back on each day of the next week. */
export function comingBack(things: readonly Thing[], now: number) {
  const today = now - (now % DAY);
  return Array.from({ length: 7 }, (_, day) => {
    const at = today + day * DAY;
    const due = things.filter(({ due_at }) => due_at !== null && Math.floor(Date.parse(due_at) / DAY) * DAY === at);
    return { at, values: [due.length] };
  });
}
