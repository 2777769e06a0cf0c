/** What was done lately, as home lists it: what somebody did many times in a row is one line. */

interface Deed {
  id: string;
  at: string;
  actor: { id: string | null; name: string };
  action: string;
}

export type Repeated<Event extends Deed> = Event & { times: number };

/** What one person did this soon after one another is one thing, from this many on. */
const TOGETHER_MS = 60_000;
const MANY = 3;

/** Events, newest first; those that repeat the one before as one, which is the newest of them. */
export function inRows<Event extends Deed>(events: readonly Event[]): Repeated<Event>[] {
  const rows: Event[][] = [];
  for (const event of events) {
    const row = rows.at(-1);
    const before = row?.at(-1);
    if (row && before && repeats(event, before)) row.push(event);
    else rows.push([event]);
  }
  return rows.flatMap((row) => (row.length < MANY ? row.map((event) => ({ ...event, times: 1 })) : row.slice(0, 1).map((event) => ({ ...event, times: row.length }))));
}

function repeats(event: Deed, before: Deed): boolean {
  const isSame = event.action === before.action && event.actor.id === before.actor.id && event.actor.name === before.actor.name;
  return isSame && Date.parse(before.at) - Date.parse(event.at) <= TOGETHER_MS;
}
