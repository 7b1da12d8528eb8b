/** Made by settings-defaults.ts. */
declare module "virtual:settings-defaults" {
  import type { Settings } from "@gateway/shared/site/settings";

  export const defaultSettings: Settings;
}
