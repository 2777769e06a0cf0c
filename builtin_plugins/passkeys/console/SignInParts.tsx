import { useQuery } from "@tanstack/react-query";

import { Problem } from "@guildhall/console/api/problem";
import { callRow } from "@guildhall/console/api/rows";
import { useText } from "@guildhall/console/i18n/texts";
import type { Arriving, SignedIn } from "@guildhall/console/screens/entry";
import { answerPasskey, canUsePasskeys } from "@guildhall/console/session/passkey";
import { Button } from "@guildhall/console/ui/Button";

const PATH = "/api/login/passkey";

/** Signs in without name and password. */
export function SignInByPasskey({ isPending, onSignIn }: Arriving) {
  const t = useText();
  const isOffered = useQuery({ queryKey: ["passkeys-offered"], queryFn: offersPasskeys, enabled: canUsePasskeys(), staleTime: Infinity });
  if (!isOffered.data) return null;
  const signIn = async () => {
    const options = await callRow({ method: "POST", path: `${PATH}/options`, body: {} });
    return (await callRow({ method: "POST", path: `${PATH}/verify`, body: { credential: await answerPasskey(options) } })) as SignedIn;
  };
  return (
    <Button isDisabled={isPending} onPress={() => onSignIn(signIn)}>
      {t("passkeys.sign_in")}
    </Button>
  );
}

/** Of a person with passkeys: the refusal that wants a second factor comes with options for them. */
export function SecondFactor({ login, isPending, onSignIn, wanted }: Arriving) {
  const t = useText();
  const options = wanted?.body.passkey;
  if (!options || !canUsePasskeys()) return null;
  const signIn = async () => {
    const body = { ...login, passkey: await answerPasskey(options) };
    return (await callRow({ method: "POST", path: "/api/login", body })) as SignedIn;
  };
  return (
    <Button isDisabled={isPending} onPress={() => onSignIn(signIn)}>
      {t("passkeys.use")}
    </Button>
  );
}

/** A server that was told to do without them does not name them; one that names no ways at all may have them. */
async function offersPasskeys(): Promise<boolean> {
  try {
    const { items } = (await callRow({ method: "GET", path: "/api/auth/ways" })) as { items: { kind: string }[] };
    return items.some(({ kind }) => kind === "passkey");
  } catch (cause) {
    return cause instanceof Problem && cause.status === 404;
  }
}
