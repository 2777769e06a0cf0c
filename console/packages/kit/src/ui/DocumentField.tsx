import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useDeferredValue, useMemo, useState } from "react";
import { Button, ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover, Text, type Key } from "react-aria-components";

import { api, dataOf } from "../api/client";
import { useText } from "../i18n/texts";
import { useMay } from "../session/identity";
import { useFieldFault } from "./Form";
import popover from "./Popover.module.css";
import field from "./TextField.module.css";
import styles from "./DocumentField.module.css";

export interface DocumentFieldProps {
  name: string;
  /** The id of the document. */
  value: string;
  fault: string | undefined;
  isRequired: boolean;
  onChange: (id: string) => void;
}

interface Found {
  id: string;
  key: string;
}

const OFFERED = 20;

/** Picks a document by its key or its words; what is typed and found nowhere is taken as an id. */
export function DocumentField({ name, value, fault, isRequired, onChange }: DocumentFieldProps) {
  const t = useText();
  const words = useFieldFault({ label: name, value, isRequired, fault });
  const [typed, setTyped] = useState("");
  const found = useDocuments(useDeferredValue(typed.trim()));
  const chosen = useDocument(value);
  const items = useMemo(
    () => (chosen && !found.some(({ id }) => id === chosen.id) ? [chosen, ...found] : found),
    [chosen, found],
  );
  const pick = (id: Key | null) => {
    if (id === null) return;
    onChange(String(id));
    setTyped(items.find((one) => one.id === id)?.key ?? String(id));
  };
  return (
    <ComboBox
      className={field.field}
      items={items}
      inputValue={typed || (chosen?.key ?? value)}
      onInputChange={(text) => {
        setTyped(text);
        if (text !== (chosen?.key ?? value)) onChange(text.startsWith("obj_") ? text : "");
      }}
      value={value && items.some(({ id }) => id === value) ? value : null}
      onChange={pick}
      allowsCustomValue
      allowsEmptyCollection
      menuTrigger="focus"
      isRequired={isRequired}
      isInvalid={words !== undefined}
      validationBehavior="aria"
    >
      <Label className={field.label}>{name}</Label>
      <div className={styles.line}>
        <Input className={field.input} dir="auto" />
        <Button className={styles.open}>
          <ChevronDown size={16} aria-hidden="true" />
        </Button>
      </div>
      <Text slot="description" className={field.help}>
        {t("workflows.help_document")}
        {isRequired ? "" : ` · ${t("form.optional")}`}
      </Text>
      <FieldError className={field.fault}>{words}</FieldError>
      <Popover className={popover.popover ?? ""}>
        <ListBox className={popover.list ?? ""} renderEmptyState={() => <div className={popover.note}>{t("workflows.no_documents")}</div>}>
          {(one: Found) => (
            <ListBoxItem id={one.id} textValue={one.key} className={popover.item ?? ""}>
              <span dir="auto" className={styles.key}>
                {one.key}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** Documents whose key begins with a text, and those that the search finds. */
function useDocuments(text: string): Found[] {
  const may = useMay();
  const byKey = useQuery({
    queryKey: ["repo", "pick", text],
    queryFn: () => dataOf(api.GET("/api/repo", { params: { query: { prefix: text, limit: OFFERED } } })),
    placeholderData: (before) => before,
  });
  const byWords = useQuery({
    queryKey: ["search", "object", text],
    queryFn: () => dataOf(api.GET("/api/search", { params: { query: { q: text, type: "object", limit: OFFERED } } })),
    enabled: text.length > 1 && may("search"),
  });
  return useMemo(() => {
    const found = new Map<string, Found>();
    for (const { id, key } of byKey.data?.items ?? []) found.set(id, { id, key });
    for (const { id, title } of byWords.data?.items ?? []) if (!found.has(id)) found.set(id, { id, key: title });
    return [...found.values()];
  }, [byKey.data, byWords.data]);
}

/** The document that was chosen, by its id: one that a run before was given has a name too. */
function useDocument(id: string): Found | null {
  const found = useQuery({
    queryKey: ["repo", "named", id],
    queryFn: () => dataOf(api.GET("/api/repo-obj/{id}", { params: { path: { id } } })),
    enabled: /^obj_\w{20,}$/.test(id),
    retry: false,
  });
  return found.data ? { id: found.data.id, key: found.data.key } : null;
}
