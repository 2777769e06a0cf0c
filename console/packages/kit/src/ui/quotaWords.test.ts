import { expect, it } from "vitest";

import { quotaWords } from "./quotaWords";

const say = (key: string) => `<${key}>`;

it.each([
  [{ dimension: "storage.bytes", used: 1_500_000, limit: 2_000_000_000 }, { dimension: "<usage.storage>", used: "1.5 MB", limit: "2 GB" }],
  [{ dimension: "ai.requests", used: 12_000, limit: 12_000 }, { dimension: "<usage.ai_requests>", used: "12,000", limit: "12,000" }],
  [{ dimension: "x.lanes", used: 3, limit: 2 }, { dimension: "x.lanes", used: "3", limit: "2" }],
])("%j is said as people say it", (given, words) => expect(quotaWords(given, say, "en")).toEqual(words));
