/** WebAuthn as the browser has it: options and answers travel as its own JSON. */

import { Problem } from "../api/problem";

/** Whether this browser and this address can use passkeys: a number is no name that one could be bound to. */
export function canUsePasskeys(): boolean {
  const isNumber = /^[\d.]+$|^\[/.test(location.hostname);
  return !isNumber && typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;
}

/** Makes a passkey by creation options of the server. */
export async function createPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return jsonOf(navigator.credentials.create({ publicKey }));
}

/** Has a passkey answer request options of the server. */
export async function answerPasskey(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return jsonOf(navigator.credentials.get({ publicKey }));
}

async function jsonOf(answer: Promise<Credential | null>): Promise<unknown> {
  const credential = await answer.catch(failed);
  return credential instanceof PublicKeyCredential ? credential.toJSON() : failed();
}

/** Says that a passkey was not there, took too long, or was cancelled: browsers do not tell which. */
export function failed(): never {
  throw new Problem({ title: "", status: 0, detail: "", code: "passkey_failed" });
}
