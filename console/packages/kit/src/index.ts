/**
 * `@guildhall/console`: what screens are made of. A stranger's module imports this and no file of it: the console
 * shares the very same components and contexts with it, at the address that its import map has for this name.
 */

export { useHall, type Client, type Hall } from "./hall";
export type { Question } from "./ui/Confirmation";
export { defineScreens, type Beginning, type Dismissed, type RecentItem, type RecentWork, type ScreenParts, type Screens, type Waiting, type WaitingItem } from "./screens/define";
export { useScreens, useShows, type ShownScreen } from "./screens/shown";
export { Tabs } from "./screens/Tabs";

export { useInstance, type Instance } from "./instance";
export { useIdentity, useMay, type Identity } from "./session/identity";
export { usePermissionWords } from "./people/permissions";
export { usePeople } from "./people/usePeople";
export { useText, useTexts, type Texts, type Translate } from "./i18n/texts";

export { Problem, Unreachable, type FieldFault } from "./api/problem";
export { useLive } from "./api/live";
export { callRow, newKey, uploadTo, type RowCall } from "./api/rows";
export { authorizedFetch } from "./api/client";

export { ActionMenu } from "./ui/ActionMenu";
export { Button } from "./ui/Button";
export { Chart, type ChartPoint, type ChartProps } from "./ui/Chart";
export { Checkbox } from "./ui/Checkbox";
export { CodeBlock } from "./ui/CodeBlock";
export { ConfirmByName } from "./ui/ConfirmByName";
export { CopyButton } from "./ui/CopyButton";
export { Difference } from "./ui/Difference";
export { Editor } from "./ui/Editor";
export { EmptyState } from "./ui/EmptyState";
export { FileButton } from "./ui/FileButton";
export { Form, useFieldFault } from "./ui/Form";
export { Line, Lines } from "./ui/Lines";
export { Markdown } from "./ui/Markdown";
export { Actions, Modal } from "./ui/Modal";
export { PageHead } from "./ui/PageHead";
export { PagedTable } from "./ui/PagedTable";
export { Facts, Panel } from "./ui/Panel";
export { ProblemNotice, useProblemWords } from "./ui/ProblemNotice";
export { ProgressBar } from "./ui/ProgressBar";
export { RowAction } from "./ui/RowAction";
export { RowList, RowMeta, RowTitle } from "./ui/RowList";
export { Select } from "./ui/Select";
export { ShownOnce } from "./ui/ShownOnce";
export { SkeletonRows } from "./ui/Skeleton";
export { Spans, type Span } from "./ui/Spans";
export { StateMark } from "./ui/StateMark";
export { SubNavigation } from "./ui/SubNavigation";
export { Switch } from "./ui/Switch";
export { Table } from "./ui/Table";
export { TextField } from "./ui/TextField";
export { Time } from "./ui/Time";
export { useAnnounce } from "./ui/Toasts";
export { Value } from "./ui/Value";
export { useFilters } from "./ui/query";
export { lazyPart } from "./ui/lazyPart";
export { usePages } from "./ui/usePages";

export { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
export { Link, Redirect, Route, Switch as Routes, useLocation, useRoute } from "wouter";
