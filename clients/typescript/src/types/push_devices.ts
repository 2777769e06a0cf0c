/** What the API says about push devices. */

export interface PushDeviceItem {
  created_at: string;
  /** Of this session */
  current: boolean;
  id: string;
  name: string | null;
}

export interface PushDevice {
  items: PushDeviceItem[];
  next_cursor: string | null;
  /** For `applicationServerKey` */
  public_key: string;
}

export interface CreatePushDeviceKeys {
  auth: string;
  p256dh: string;
}
