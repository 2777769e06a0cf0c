import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Link, Route, Switch, useLocation } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { StateMark } from "@guildhall/console/ui/StateMark";
import { usePages } from "@guildhall/console/ui/usePages";
import { Heading } from "./Heading";
import { COMPANY, fetchWays, INSTANCE, keyOf, type Place, type WayPage } from "./way";
import { WayDialog } from "./WayDialog";
import { WayView } from "./WayView";

export const CompanyWays = () => <Ways place={COMPANY} />;
export const InstanceWays = () => <Ways place={INSTANCE} />;

function Ways({ place }: { place: Place }) {
  return (
    <Switch>
      <Route path={place.path}>
        <WayList place={place} />
      </Route>
      <Route path={`${place.path}/:id`}>{({ id }) => <WayView key={id} place={place} id={id} />}</Route>
    </Switch>
  );
}

/** The ways to sign in elsewhere that are set up, and the beginning of another. */
function WayList({ place }: { place: Place }) {
  const t = useText();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [isMaking, setMaking] = useState(false);
  const pages = usePages(keyOf(place), (cursor) => fetchWays(place, cursor as Record<string, string>));
  const kinds = (pages.data?.pages[0] as WayPage | undefined)?.kinds ?? [];
  const add = (
    <Button kind="primary" isDisabled={kinds.length === 0} onPress={() => setMaking(true)}>
      <Plus size={16} aria-hidden="true" />
      {t("signin.new")}
    </Button>
  );
  return (
    <>
      <Heading place={place} title={t("signin.title")} text={t(place === COMPANY ? "signin.about" : "signin.about_instance")}>
        {add}
      </Heading>
      <PagedTable
        label={t("signin.title")}
        pages={pages}
        idOf={({ id }) => id}
        empty={{ text: t("signin.none"), action: add }}
        columns={[
          { id: "label", name: t("list.name"), cell: ({ id, label }) => <Link href={`${place.path}/${id}`}>{label}</Link> },
          { id: "kind", name: t("signin.kind"), isSecondary: true, cell: ({ kind }) => kind },
          { id: "required", name: t("signin.required"), cell: ({ required }) => <StateMark state={required ? "on" : "off"} /> },
        ]}
      />
      {isMaking && (
        <WayDialog
          place={place}
          kinds={kinds}
          way={null}
          onClose={() => setMaking(false)}
          onDone={({ id }) => {
            void client.invalidateQueries({ queryKey: keyOf(place) });
            navigate(`${place.path}/${id}`);
          }}
        />
      )}
    </>
  );
}
