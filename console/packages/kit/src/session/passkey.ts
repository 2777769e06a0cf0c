/** WebAuthn as the browser has it: options and answers travel as its own JSON. */

/** Whether this browser and this address can use passkeys: a number is no name that one could be bound to. */
export function canUsePasskeys(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(location.hostname);
  return !isNumber && typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;
}

/** Makes a passkey by creation options of the server. */
export async function createPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return jsonOf(await navigator.credentials.create({ publicKey }));
}

/** Has a passkey answer request options of the server. */
export async function answerPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return jsonOf(await navigator.credentials.get({ publicKey }));
}

function jsonOf(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException("", "NotAllowedError");
  return credential.toJSON();
}

/** What the browser says of a passkey that was not there, took too long, or was cancelled. */
export const isPasskeyFailure = (cause: unknown): boolean => cause instanceof DOMException;
