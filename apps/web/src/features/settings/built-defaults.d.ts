/** Made by settings-defaults.ts. */
declare module "virtual:settings-defaults" {
  export const defaultSettings: import("@gateway/shared/site/settings").Settings;
}
