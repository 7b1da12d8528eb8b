/** `virtual:settings-defaults` has the defaults of the settings as data, without the schemas that compute them. */
import { defaultSettings } from "@gateway/shared/site/settings";
import type { Plugin } from "vite";

const moduleId = "virtual:settings-defaults";

export function settingsDefaults(): Plugin {
  return {
    name: "settings-defaults",
    resolveId: (id) => (id === moduleId ? `\0${id}` : null),
    load: (id) =>
      id === `\0${moduleId}` ? `export const defaultSettings = ${JSON.stringify(defaultSettings)};` : null,
  };
}
