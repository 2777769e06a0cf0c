import { defineScreens } from "@guildhall/console/screens/define";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

export default defineScreens({
  mcp: { component: lazyPart(() => import("./McpServers").then(({ McpServers: component }) => ({ default: component }))) },
});
