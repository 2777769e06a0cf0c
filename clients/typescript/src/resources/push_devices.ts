/** The rows of push devices. */

import type { Http } from "../http.js";
import { segment } from "../sending.js";
import type { CreatePushDeviceKeys, PushDevice, PushDeviceItem } from "../types/push_devices.js";

/** The body of `pushDevices.create`. */
export interface CreatePushDeviceBody {
  endpoint: string;
  /** What a browser says beside it; it is not looked at */
  expirationTime?: unknown;
  keys: CreatePushDeviceKeys;
  name?: string | null;
}

/** Calls of push devices. */
export class PushDevices {
  constructor(private readonly http: Http) {}

  /** Have this browser tell the caller: a `PushSubscription` as it is, until its session is gone. */
  create(body: CreatePushDeviceBody): Promise<PushDeviceItem> {
    return this.http.call("POST", "/api/push-devices", { body });
  }

  /** Have a browser tell the caller nothing any more. */
  delete(id: string): Promise<void> {
    return this.http.call("DELETE", `/api/push-devices/${segment(id)}`);
  }

  /** The browsers in which the caller is told, and the key that a browser subscribes with. */
  get(): Promise<PushDevice> {
    return this.http.call("GET", "/api/push-devices");
  }
}
