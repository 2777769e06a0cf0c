/** Made by vite.config.ts: loads all that a stranger's module can import by name. */
declare module "virtual:shared-modules" {
  export default function loadShared(): Promise<unknown>;
}
