import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { SectionHead } from "@guildhall/console/ui/PageHead";
import { AuditTrail } from "./AuditTrail";

/** Who did what in the whole company. */
export function CompanyAudit() {
  const t = useText();
  return (
    <>
      <SectionHead title={t("nav.audit")} />
      <AuditTrail
        of="company"
        loadEvents={(query) => dataOf(api.GET("/api/org/audit", { params: { query } }))}
        loadDays={(query) => dataOf(api.GET("/api/org/audit/days", { params: { query } }))}
        loadPeople={async () => {
          const { items } = await dataOf(api.GET("/api/org/members", { params: { query: { limit: 200 } } }));
          return items.map(({ user_id, username, display_name }) => ({ id: user_id, name: display_name || username }));
        }}
      />
    </>
  );
}
