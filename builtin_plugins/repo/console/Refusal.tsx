import { Problem } from "@guildhall/console/api/problem";
import { useTexts } from "@guildhall/console/i18n/texts";
import { useProblemWords } from "@guildhall/console/ui/ProblemNotice";
import { formatSize } from "@guildhall/console/ui/sizes";

/** Who can lift what refused an upload or a change. */
const WHO: Record<string, string> = {
  quota_exceeded: "role.operator",
  org_suspended: "role.operator",
  tenant_suspended: "role.operator",
  permission_denied: "role.admin",
};

/** Why something was refused, and who can change that, in one sentence or two. */
export function Refusal({ problem }: { problem: unknown }) {
  return <span>{useRefusalWords(problem)}</span>;
}

export function useRefusalWords(problem: unknown): string {
  const { t, locale } = useTexts();
  const words = useProblemWords(problem);
  if (!(problem instanceof Problem)) return words;
  const who = WHO[problem.code];
  const { dimension, used, limit, level, owner } = problem.body;
  const isRoom = problem.code === "quota_exceeded" && dimension === "storage.bytes";
  const said =
    isRoom && typeof used === "number" && typeof limit === "number"
      ? t(level === "org" ? "files.no_room_company" : "files.no_room", { used: formatSize(used, locale), limit: formatSize(limit, locale) })
      : problem.code === "key_taken" && typeof owner === "string"
        ? `${words} ${owner}`
        : words;
  return who ? `${said} ${t("error.ask", { who: t(who) })}` : said;
}
