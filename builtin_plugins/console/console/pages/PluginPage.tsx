import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useRef } from "react";
import { Redirect, useRoute } from "wouter";

import { useText } from "@guildhall/console/i18n/texts";
import { Button } from "@guildhall/console/ui/Button";
import { PageHead } from "@guildhall/console/ui/PageHead";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { BundleFrame } from "./BundleFrame";
import { ClosedNotice, ClosedPage } from "./ClosedPage";
import { ContributedFacts } from "./ContributedFacts";
import { ContributedForm } from "./ContributedForm";
import { ContributedTable } from "./ContributedTable";
import { useUi, usePluginText, type ListedPage } from "@guildhall/console/screens/pages";
import { partFor, partsOf, type PartSpec } from "./parts";

/** A page that a plugin brings: described as data, or a bundle in a frame. One that is open stays when its plugin is switched off. */
export default function PluginPage() {
  const [, params] = useRoute("/x/:plugin?/:name?/:value?");
  const pages = useUi();
  const opened = useRef<ListedPage | null>(null);
  if (pages.isPending) return <SkeletonRows />;
  if (pages.isLoadingError) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  const id = params?.plugin ?? "";
  const own = pages.data.items.filter(({ plugin }) => plugin.id === id);
  const value = params?.value;
  const isHere = ({ plugin, name, parameter }: ListedPage) =>
    plugin.id === id && name === (params?.name ?? "") && (parameter === null) === (value === undefined);
  const page = own.find(isHere);
  const kept = opened.current && isHere(opened.current) ? opened.current : null;
  opened.current = page ?? kept;
  const shown = page ?? kept;
  if (shown) {
    return (
      <>
        {!page && <ClosedNotice plugin={id} />}
        <Shown key={`${shown.address} ${value}`} page={shown} value={value} />
      </>
    );
  }
  const first = own.find(({ parameter }) => parameter === null);
  if (first && !params?.name) return <Redirect to={first.address} replace />;
  return <ClosedPage plugin={id} />;
}

function Shown({ page, value }: { page: ListedPage; value: string | undefined }) {
  const t = useText();
  const say = usePluginText();
  const client = useQueryClient();
  const parts = partsOf(page).map((part) => (page.parameter ? partFor(part, { [page.parameter]: value }) : part));
  const main = parts.findIndex(({ kind }) => kind === "form");
  const isBundle = parts.some(({ kind }) => kind === "bundle");
  return (
    <>
      <PageHead title={say(page.title)} text={say(page.text)}>
        {isBundle && (
          <Button onPress={() => void client.resetQueries({ queryKey: ["ticket", page.plugin.id] })}>
            <RefreshCw size={16} />
            {t("action.refresh")}
          </Button>
        )}
      </PageHead>
      {parts.map((part, position) => (
        <Part key={position} plugin={page.plugin.id} title={say(page.title)} part={part} isMain={position === main} />
      ))}
    </>
  );
}

interface PartProps {
  plugin: string;
  title: string;
  part: PartSpec;
  /** Of the forms of a page the first has its one primary action. */
  isMain: boolean;
}

function Part({ plugin, title, part, isMain }: PartProps) {
  switch (part.kind) {
    case "facts":
      return <ContributedFacts plugin={plugin} title={title} spec={part} />;
    case "table":
      return <ContributedTable plugin={plugin} title={title} spec={part} />;
    case "form":
      return <ContributedForm plugin={plugin} title={title} spec={part} isMain={isMain} />;
    case "bundle":
      return <BundleFrame plugin={plugin} title={title} spec={part} />;
  }
}
