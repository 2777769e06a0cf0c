import { defineEntry } from "@guildhall/console/screens/entry";
import { lazyPart } from "@guildhall/console/ui/lazyPart";

/** Takes the word why nobody was signed in out of the address. */
function takeRefusal(): string | null {
  const error = location.pathname.endsWith("/login") ? new URLSearchParams(location.hash.slice(1)).get("error") : null;
  if (error) history.replaceState(history.state, "", location.pathname);
  return error;
}

// Before anything else reads the address.
const refusal = takeRefusal();

export default defineEntry({
  refusal,
  // What was proved elsewhere becomes this person's once they prove by their password who they are.
  ...(refusal === "link_required" && { proves: { link: true } }),
  ways: lazyPart(() => import("./WaysIn")),
});
