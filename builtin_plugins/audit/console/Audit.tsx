import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { AuditTrail } from "./AuditTrail";

/** Who did what in this team. */
export function Audit() {
  const t = useText();
  return (
    <>
      <PageHead title={t("nav.audit")} text={t("audit.empty")} />
      <AuditTrail
        of="team"
        loadEvents={(query) => dataOf(api.GET("/api/audit", { params: { query } }))}
        loadDays={(query) => dataOf(api.GET("/api/audit/days", { params: { query } }))}
        loadPeople={async () => {
          const { items } = await dataOf(api.GET("/api/members", { params: { query: { limit: 200 } } }));
          return items.map(({ user_id, username, display_name }) => ({ id: user_id, name: display_name || username }));
        }}
      />
    </>
  );
}
