/** What the inbox asks of the server. */

import { callRow } from "@guildhall/console/api/rows";

export const LIST = "/api/notifications";
export const SETTINGS = "/api/notification-settings";
/** Where the page keeps what somebody chose. */
export const CHOICES = ["notification-choices"];

export interface Notice {
  id: string;
  kind: string;
  text: string;
  link: string;
  team: { id: string; name: string } | null;
  created_at: string;
  read_at: string | null;
}

export interface Page {
  items: Notice[];
  next_cursor: string | null;
  unread: number;
}

export const MAIL_CHOICES = ["at_once", "daily", "never"] as const;

export interface Choice {
  mail: (typeof MAIL_CHOICES)[number];
  push: boolean;
}

export type Choices = Record<string, Choice>;

export async function loadPage(query: Record<string, string>): Promise<Page> {
  return (await callRow({ method: "GET", path: `${LIST}?${new URLSearchParams(query).toString()}` })) as Page;
}

export const markRead = (body: { ids: string[] } | { all: true }) => callRow({ method: "POST", path: `${LIST}/read`, body });

export const loadChoices = async () => (await callRow({ method: "GET", path: SETTINGS })) as Choices;
