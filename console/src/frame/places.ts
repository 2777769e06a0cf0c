/** The places of the console: where they are, what they need, and in which group they stand. */

import {
  BookText, Bot, Building2, FileText, FolderOpen, Gauge, HardDrive, History, House, KeyRound, Languages, Megaphone,
  Network, NotebookPen, Server, Settings, ShieldCheck, ToggleRight, Users, Workflow, Wrench, Zap, type LucideIcon,
} from "lucide-react";

import type { Identity } from "../session/identity";

export type Group = "work" | "ai" | "automate" | "localize" | "team" | "company" | "instance";

export interface Place {
  path: string;
  /** The key of its name in the catalog. */
  name: string;
  group: Group;
  icon: LucideIcon;
  /** Whether this person is shown it; without it everybody is. */
  admits?: (identity: Identity) => boolean;
}

const holds = (permission: string) => (identity: Identity) => identity.permissions.includes(permission);
const operator = (identity: Identity) => identity.operator;
const inCompany = (identity: Identity) => identity.org_role !== null;

export const PLACES: readonly Place[] = [
  { path: "/", name: "nav.home", group: "work", icon: House },
  { path: "/notes", name: "nav.notes", group: "work", icon: NotebookPen, admits: holds("notes:read") },
  { path: "/files", name: "nav.files", group: "work", icon: FolderOpen, admits: holds("files:read") },
  { path: "/chat", name: "nav.chat", group: "ai", icon: Bot, admits: holds("chat:use") },
  { path: "/translate", name: "nav.translate", group: "ai", icon: Languages, admits: holds("chat:use") },
  { path: "/glossary", name: "nav.glossary", group: "ai", icon: BookText, admits: holds("chat:use") },
  { path: "/workflows", name: "nav.workflows", group: "automate", icon: Workflow, admits: holds("workflows:read") },
  { path: "/triggers", name: "nav.triggers", group: "automate", icon: Zap, admits: holds("workflows:read") },
  { path: "/runs", name: "nav.runs", group: "automate", icon: History, admits: holds("workflows:read") },
  { path: "/knowledge", name: "nav.graph", group: "automate", icon: Network, admits: holds("files:read") },
  { path: "/localize", name: "nav.localization", group: "localize", icon: Languages, admits: holds("localization:read") },
  { path: "/members", name: "nav.members", group: "team", icon: Users },
  { path: "/tokens", name: "nav.tokens", group: "team", icon: KeyRound, admits: holds("settings:manage") },
  { path: "/s3-keys", name: "nav.s3_keys", group: "team", icon: HardDrive, admits: holds("files:read") },
  { path: "/features", name: "nav.features", group: "team", icon: ToggleRight, admits: holds("settings:manage") },
  { path: "/tools", name: "nav.tools", group: "team", icon: Wrench, admits: holds("settings:manage") },
  { path: "/usage", name: "nav.usage", group: "team", icon: Gauge },
  { path: "/jobs", name: "nav.jobs", group: "team", icon: FileText },
  { path: "/audit", name: "nav.audit", group: "team", icon: ShieldCheck, admits: holds("settings:manage") },
  { path: "/team", name: "nav.settings", group: "team", icon: Settings, admits: holds("settings:manage") },
  { path: "/beta-program", name: "nav.beta", group: "team", icon: Megaphone, admits: holds("settings:manage") },
  { path: "/company", name: "nav.group_company", group: "company", icon: Building2, admits: inCompany },
  { path: "/instance", name: "nav.group_instance", group: "instance", icon: Server, admits: operator },
];

export const GROUPS: readonly Group[] = ["work", "ai", "automate", "localize", "team", "company", "instance"];

export function placesFor(identity: Identity): Place[] {
  return PLACES.filter((place) => place.admits?.(identity) ?? true);
}
