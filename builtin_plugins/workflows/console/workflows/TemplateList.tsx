import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";

import { api, dataOf } from "@guildhall/console/api/client";
import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import styles from "./TemplateList.module.css";

/** Workflows to begin with: one that is used becomes the team's own. */
export function TemplateList() {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const templates = useQuery({
    queryKey: ["workflow-templates"],
    queryFn: () => dataOf(api.GET("/api/workflow-templates")),
  });
  const use = useMutation({
    mutationFn: (slug: string) =>
      dataOf(api.POST("/api/workflow-templates/{slug}/use", { params: { path: { slug } }, body: {} })),
    onSuccess: ({ slug, name, version }) => {
      void client.invalidateQueries({ queryKey: ["workflows"] });
      announce(t("workflows.published", { name, version }));
      navigate(`/workflows/${slug}/steps`);
    },
  });
  if (!templates.data) return null;
  return (
    <Panel title={t("workflows.templates")}>
      {use.error && <ProblemNotice problem={use.error} />}
      <ul className={styles.list}>
        {templates.data.items.map(({ slug, name, description }) => (
          <li key={slug} className={styles.template}>
            <div>
              <strong>{name}</strong>
              <p className={styles.about}>{description}</p>
            </div>
            <Button
              aria-label={`${t("workflows.template_use")}: ${name}`}
              isPending={use.isPending && use.variables === slug}
              onPress={() => use.mutate(slug)}
            >
              {t("workflows.template_use")}
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
