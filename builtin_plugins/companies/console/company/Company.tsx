import { useText } from "@guildhall/console/i18n/texts";
import { Tabs } from "@guildhall/console/screens/Tabs";
import { useIdentity, useMay } from "@guildhall/console/session/identity";
import { PageHead } from "@guildhall/console/ui/PageHead";

/** The company: everybody with a role in it reads it; who does not manage it is offered nothing to change. */
export default function Company() {
  const t = useText();
  const may = useMay();
  const { org } = useIdentity();
  return (
    <>
      <PageHead title={org.name} text={may("org:manage") ? undefined : t("company.read_only")} />
      <Tabs path="/company" label={t("nav.group_company")} />
    </>
  );
}
