import { useQuery } from "@tanstack/react-query";

import { callRow } from "@guildhall/console/api/rows";
import { usePluginText } from "@guildhall/console/screens/pages";
import { valueAt } from "@guildhall/console/screens/schema";
import { Facts, Panel } from "@guildhall/console/ui/Panel";
import { ProblemNotice } from "@guildhall/console/ui/ProblemNotice";
import { SkeletonRows } from "@guildhall/console/ui/Skeleton";
import { RowActions } from "./RowActions";
import { Value } from "./Value";
import type { TableSpec } from "./parts";

/** One thing that a plugin's row answers, field by field, with what can be done with it. */
export function ContributedFacts({ plugin, title, spec }: { plugin: string; title: string; spec: TableSpec }) {
  const say = usePluginText();
  const thing = useQuery({ queryKey: ["x", plugin, spec.source], queryFn: () => callRow({ method: "GET", path: spec.source }) });
  return (
    <Panel title={say(spec.title || title)} actions={thing.data !== undefined && <RowActions plugin={plugin} name={say(title)} item={thing.data} actions={spec.actions} />}>
      {thing.isPending ? (
        <SkeletonRows count={2} />
      ) : thing.isLoadingError ? (
        <ProblemNotice problem={thing.error} onRetry={() => void thing.refetch()} />
      ) : (
        <Facts facts={spec.columns.map(({ field, label, schema }) => [say(label), <Value key={field} schema={schema} value={valueAt(thing.data, field)} />])} />
      )}
    </Panel>
  );
}
