import { useQueryClient } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { useMay } from "@guildhall/console/session/identity";
import { Button } from "@guildhall/console/ui/Button";
import cells from "@guildhall/console/ui/Cells.module.css";
import { SectionHead } from "@guildhall/console/ui/PageHead";
import { PagedTable } from "@guildhall/console/ui/PagedTable";
import { Revoke } from "@guildhall/console/ui/Revoke";
import { RowAction } from "@guildhall/console/ui/RowAction";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { usePages } from "@guildhall/console/ui/usePages";
import { count, DEFAULT, type NamedModel } from "./model";
import { PutModel } from "./PutModel";

/** The models that members choose from: what each is called, what runs it, who may use it and what it costs. */
export default function Models() {
  const t = useText();
  const may = useMay();
  const client = useQueryClient();
  const announce = useAnnounce();
  const [edited, setEdited] = useState<NamedModel | "new" | null>(null);
  const [leaving, setLeaving] = useState<string | null>(null);
  const models = usePages(["models", "managed"], async () => {
    const found = await dataOf(api.GET("/api/models", { params: { query: { manage: "1" } } }));
    return { items: found.items as NamedModel[], next_cursor: null };
  });
  const refetch = () => void client.invalidateQueries({ queryKey: ["models"] });
  // What holds for every company is the operators'.
  const mayChange = ({ instance, name }: NamedModel) => !instance || may("instance:manage") || name === DEFAULT;
  const add = (
    <Button kind="primary" onPress={() => setEdited("new")}>
      <Plus size={16} aria-hidden="true" />
      {t("models.new")}
    </Button>
  );
  const usersOf = ({ allowed }: NamedModel) => {
    if (allowed === null) return t("models.everybody");
    const many = count(allowed);
    return many === 0 ? t("models.nobody") : t("models.some", { count: many });
  };
  return (
    <>
      <SectionHead title={t("nav.models")}>{add}</SectionHead>
      <p>{t("models.about")}</p>
      <PagedTable
        label={t("nav.models")}
        pages={models}
        idOf={({ name }) => name}
        empty={{ text: t("models.none"), action: add }}
        columns={[
          {
            id: "name",
            name: t("list.name"),
            cell: ({ name, label, description }) => (
              <span className={cells.person}>
                <span className={cells.strong} dir="auto">
                  {label}
                </span>
                <span className={cells.aside} dir="auto">
                  {[name, description].filter(Boolean).join(" · ")}
                </span>
              </span>
            ),
          },
          { id: "executor", name: t("models.executor"), isSecondary: true, cell: ({ executor, model }) => <bdi>{[executor, model].filter(Boolean).join(" · ")}</bdi> },
          { id: "users", name: t("models.users"), cell: usersOf },
          {
            id: "price",
            name: t("models.price"),
            isSecondary: true,
            cell: ({ price }) => (price ? `${price.input_per_million} / ${price.output_per_million} ${price.currency}` : ""),
          },
        ]}
        actions={(model) =>
          mayChange(model) && (
            <>
              <RowAction icon={Pencil} name={t("action.edit")} of={model.label} onPress={() => setEdited(model)} />
              {!(model.name === DEFAULT && model.allowed === null) && <RowAction icon={Trash2} name={t("action.delete")} of={model.label} onPress={() => setLeaving(model.name)} />}
            </>
          )
        }
      />
      {edited && <PutModel model={edited === "new" ? null : edited} onClose={() => setEdited(null)} onDone={refetch} />}
      {leaving && (
        <Revoke
          text={t("models.delete_confirm", { name: leaving })}
          action={t("action.delete")}
          onClose={() => setLeaving(null)}
          onRevoke={async () => {
            await api.DELETE("/api/models/{name}", { params: { path: { name: leaving } } });
            announce(t("models.deleted", { name: leaving }));
            refetch();
          }}
        />
      )}
    </>
  );
}
