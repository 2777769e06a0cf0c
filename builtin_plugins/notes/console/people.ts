/** The people that a note can be shared with: those of the company, or of the team for who sees no more. */

import { api, dataOf } from "@guildhall/console/api/client";

export interface Person {
  id: string;
  name: string;
  username: string;
}

const PAGE = 200;
/** More than anybody looks through; whoever is further down is found by a company's own directory. */
const MOST = 2_000;

export async function loadPeople(ofCompany: boolean): Promise<Person[]> {
  const people: Person[] = [];
  let cursor: string | null = "";
  while (cursor !== null && people.length < MOST) {
    const params = { query: { limit: PAGE, ...(cursor && { cursor }) } };
    const page: { items: { user_id: string; display_name: string; username: string }[]; next_cursor: string | null } = ofCompany
      ? await dataOf(api.GET("/api/org/members", { params }))
      : await dataOf(api.GET("/api/members", { params }));
    people.push(...page.items.map(({ user_id, display_name, username }) => ({ id: user_id, name: display_name, username })));
    cursor = page.next_cursor;
  }
  return people;
}
