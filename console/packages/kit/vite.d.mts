import type { UserConfig } from "vite";

export const SHARED: readonly string[];
export function screens(options: { entry: string; outDir: string }): UserConfig;
