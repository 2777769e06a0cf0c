import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { authorizedFetch } from "@guildhall/console/api/client";
import { problemOf } from "@guildhall/console/api/problem";
import { callRow, newKey } from "@guildhall/console/api/rows";
import { useHall } from "@guildhall/console/hall";
import { usePluginText } from "@guildhall/console/screens/pages";
import { isRecord } from "@guildhall/console/screens/schema";
import { Button } from "@guildhall/console/ui/Button";
import { Modal } from "@guildhall/console/ui/Modal";
import { useProblemWords } from "@guildhall/console/ui/ProblemNotice";
import { useAnnounce } from "@guildhall/console/ui/Toasts";
import { ContributedForm } from "./ContributedForm";
import { partFor, type FormSpec } from "./parts";

interface RowActionsProps {
  plugin: string;
  /** What it is done to, for who does not see the row. */
  name: string;
  item: unknown;
  actions: readonly FormSpec[];
}

/** What a plugin lets one do with one thing: forms, plain buttons and downloads. */
export function RowActions({ plugin, name, item, actions }: RowActionsProps) {
  const fields = isRecord(item) ? item : {};
  return actions.map((action) => <Action key={`${action.method} ${action.target}`} plugin={plugin} name={name} spec={partFor(action, fields)} />);
}

function Action({ plugin, name, spec }: { plugin: string; name: string; spec: FormSpec }) {
  const say = usePluginText();
  const announce = useAnnounce();
  const { confirm } = useHall();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const words = say(spec.submit);
  const act = useMutation({
    mutationFn: () => (spec.method === "GET" ? download(spec.target) : callRow({ method: spec.method, path: spec.target, key: newKey() })),
    onSuccess: () => {
      if (spec.method === "GET") return;
      void client.invalidateQueries({ queryKey: ["x", plugin] });
      announce(say(spec.done) || `${words}: ${name}`);
    },
  });
  const problem = useProblemWords(act.error);
  const press = async () => {
    if (spec.takes !== "nothing") setOpen(true);
    else if (spec.method !== "DELETE" || (await confirm({ title: `${words}: ${name}`, action: words, isDangerous: true }))) act.mutate();
  };
  return (
    <>
      <Button kind="quiet" aria-label={`${words}: ${name}`} isPending={act.isPending} onPress={() => void press()}>
        {words}
      </Button>
      {act.isError && <span role="alert">{problem}</span>}
      {isOpen && (
        <Modal title={`${words}: ${name}`} isOpen onClose={() => setOpen(false)}>
          <ContributedForm plugin={plugin} title={words} spec={spec} isMain onDone={() => setOpen(false)} />
        </Modal>
      )}
    </>
  );
}

/** A file as the row answers it, under the name that it gives. */
async function download(path: string): Promise<void> {
  const response = await authorizedFetch(new Request(new URL(path, location.origin)));
  if (!response.ok) throw await problemOf(response);
  const given = /filename="?([^";]+)/.exec(response.headers.get("Content-Disposition") ?? "")?.[1];
  const address = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href: address, download: given ?? path.split("/").at(-1) ?? "file" }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
