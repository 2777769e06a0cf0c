import { useQueryClient } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useRef } from "react";
import { Redirect, useRoute } from "wouter";

import { useText } from "../../i18n/texts";
import { Button } from "../../ui/Button";
import { PageHead } from "../../ui/PageHead";
import { ProblemNotice } from "../../ui/ProblemNotice";
import { SkeletonRows } from "../../ui/Skeleton";
import { BundleFrame } from "./BundleFrame";
import { ClosedNotice, ClosedPage } from "./ClosedPage";
import { ContributedForm } from "./ContributedForm";
import { ContributedTable } from "./ContributedTable";
import { partsOf, usePluginPages, usePluginText, type ListedPage, type PartSpec } from "./pages";

/** A page that a plugin brings: described as data, or a bundle in a frame. One that is open stays when its plugin is switched off. */
export default function PluginPage() {
  const [, params] = useRoute("/x/:plugin?/:name?");
  const pages = usePluginPages();
  const opened = useRef<ListedPage | null>(null);
  if (pages.isPending) return <SkeletonRows />;
  if (pages.isLoadingError) return <ProblemNotice problem={pages.error} onRetry={() => void pages.refetch()} />;
  const id = params?.plugin ?? "";
  const own = pages.data.items.filter(({ plugin }) => plugin.id === id);
  const isHere = ({ plugin, name }: ListedPage) => plugin.id === id && name === (params?.name ?? "");
  const page = own.find(isHere);
  const kept = opened.current && isHere(opened.current) ? opened.current : null;
  opened.current = page ?? kept;
  const shown = page ?? kept;
  if (shown) {
    return (
      <>
        {!page && <ClosedNotice plugin={id} />}
        <Shown key={shown.address} page={shown} />
      </>
    );
  }
  const first = own[0];
  if (first && !params?.name) return <Redirect to={first.address} replace />;
  return <ClosedPage plugin={id} />;
}

function Shown({ page }: { page: ListedPage }) {
  const t = useText();
  const say = usePluginText();
  const client = useQueryClient();
  const parts = partsOf(page);
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
  if (part.kind === "table") return <ContributedTable plugin={plugin} title={title} spec={part} />;
  if (part.kind === "form") return <ContributedForm plugin={plugin} title={title} spec={part} isMain={isMain} />;
  return <BundleFrame plugin={plugin} title={title} spec={part} />;
}
