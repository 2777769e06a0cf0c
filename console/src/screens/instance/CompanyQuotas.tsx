import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Form } from "react-aria-components";

import { api, dataOf } from "../../api/client";
import { Problem } from "../../api/problem";
import { useText, useTexts } from "../../i18n/texts";
import { Button } from "../../ui/Button";
import { Actions, Modal } from "../../ui/Modal";
import { Panel } from "../../ui/Panel";
import { ProblemNotice } from "../../ui/ProblemNotice";
import { Select } from "../../ui/Select";
import { Table } from "../../ui/Table";
import { TextField } from "../../ui/TextField";
import { Time } from "../../ui/Time";
import { useAnnounce } from "../../ui/Toasts";
import type { WholeCompany } from "./Company";
import { amountWords } from "./figures";
import styles from "./Instance.module.css";
import { DIMENSION_NAMES, WINDOWS } from "./plans";

type Quota = WholeCompany["quotas"][number];
type Window = Quota["window"];
interface Limit {
  dimension: string;
  window: Window;
  limit: number | null;
}

/** What a company used, what it may use, and in which time. */
export function CompanyQuotas({ company, companyRef }: { company: WholeCompany; companyRef: string }) {
  const { t, locale } = useTexts();
  const [edited, setEdited] = useState<Limit | null>(null);
  const nameOf = useDimensionName();
  const dimensions = [...new Set([...Object.keys(DIMENSION_NAMES), ...company.quotas.map(({ dimension }) => dimension)])];
  const add = (
    <Button onPress={() => setEdited({ dimension: "ai.requests", window: "hour", limit: null })}>
      <Plus size={16} />
      {t("instance.limit_new")}
    </Button>
  );
  return (
    <Panel title={t("instance.quota")} actions={add}>
      <Table<Quota>
        label={t("instance.quota")}
        items={company.quotas}
        idOf={({ dimension, window }) => `${dimension} ${window}`}
        columns={[
          { id: "dimension", name: t("instance.dimension"), cell: ({ dimension }) => nameOf(dimension) },
          { id: "used", name: t("usage.used"), isFigure: true, cell: (quota) => <Used quota={quota} /> },
          {
            id: "limit",
            name: t("usage.limit"),
            isFigure: true,
            cell: ({ dimension, limit }) => (limit === null ? t("usage.unlimited") : amountWords(dimension, limit, locale)),
          },
          { id: "window", name: t("instance.window"), cell: ({ window }) => t(`instance.window_${window}`) },
          {
            id: "resets",
            name: t("usage.resets_at"),
            isSecondary: true,
            cell: ({ resets_at }) => (resets_at ? <Time at={resets_at} /> : <span className={styles.muted}>–</span>),
          },
        ]}
        actions={(quota) => (
          <Button kind="quiet" aria-label={`${t("action.edit")}: ${nameOf(quota.dimension)}, ${t(`instance.window_${quota.window}`)}`} onPress={() => setEdited(quota)}>
            {t("action.edit")}
          </Button>
        )}
      />
      {edited && <LimitDialog given={edited} dimensions={dimensions} companyRef={companyRef} onClose={() => setEdited(null)} />}
    </Panel>
  );
}

function Used({ quota: { dimension, used, limit } }: { quota: Quota }) {
  const { locale } = useTexts();
  const share = limit ? Math.min(1, used / limit) : limit === 0 ? 1 : 0;
  return (
    <>
      {amountWords(dimension, used, locale)}
      {limit !== null && (
        <div className={styles.meter} data-full={share >= 0.9 ? "" : undefined} aria-hidden="true">
          <span style={{ width: `${share * 100}%` }} />
        </div>
      )}
    </>
  );
}

interface LimitDialogProps {
  given: Limit;
  dimensions: string[];
  companyRef: string;
  onClose: () => void;
}

function LimitDialog({ given, dimensions, companyRef, onClose }: LimitDialogProps) {
  const t = useText();
  const announce = useAnnounce();
  const client = useQueryClient();
  const nameOf = useDimensionName();
  const [dimension, setDimension] = useState(given.dimension);
  const [window, setWindow] = useState<Window>(given.window);
  const [limit, setLimit] = useState(given.limit === null ? "" : String(given.limit));
  const save = useMutation({
    mutationFn: () => {
      // What is no whole number is sent as it was typed: the server says what is wrong with it.
      const typed = (/^\d+$/.test(limit.trim()) ? Number(limit) : limit) as number;
      const body = { dimension, window, limit: limit.trim() === "" ? null : typed };
      return dataOf(api.POST("/api/orgs/{ref}/quota", { params: { path: { ref: companyRef } }, body }));
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["org", companyRef] });
      announce(t("instance.limit_set"));
      onClose();
    },
  });
  const fault = (pointer: string) => {
    const message = save.error instanceof Problem ? save.error.at(pointer) : undefined;
    return message ? { fault: message } : {};
  };
  return (
    <Modal title={t("instance.limit_title")} isOpen onClose={onClose}>
      <Form
        validationBehavior="aria"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        {save.isError && <ProblemNotice problem={save.error} />}
        <Select
          label={t("instance.dimension")}
          options={dimensions.map((one) => ({ id: one, name: nameOf(one) }))}
          value={dimension}
          onChange={setDimension}
          {...fault("/dimension")}
        />
        <Select
          label={t("instance.window")}
          options={WINDOWS.map((one) => ({ id: one, name: t(`instance.window_${one}`) }))}
          value={window}
          onChange={(chosen) => setWindow(chosen as Window)}
          {...fault("/window")}
        />
        <TextField label={t("usage.limit")} help={t("instance.limit_help")} inputMode="numeric" value={limit} onChange={setLimit} autoFocus {...fault("/limit")} />
        <Actions>
          <Button kind="quiet" onPress={onClose}>
            {t("action.cancel")}
          </Button>
          <Button kind="primary" type="submit" isPending={save.isPending}>
            {t("instance.limit_save")}
          </Button>
        </Actions>
      </Form>
    </Modal>
  );
}

function useDimensionName(): (dimension: string) => string {
  const t = useText();
  return (dimension) => {
    const key = DIMENSION_NAMES[dimension];
    return key ? t(key) : dimension;
  };
}
