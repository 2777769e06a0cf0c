/** Whether the key for commands is ⌘, as on a Mac, or Ctrl. */
export const isMac = /mac|iphone|ipad/i.test(navigator.platform);
export const commandKey = isMac ? "⌘" : "Ctrl";
