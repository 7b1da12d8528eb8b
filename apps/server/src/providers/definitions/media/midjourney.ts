import type { Provider } from "#providers/provider.ts";

const actions = [
  "imagine",
  "variation",
  "reroll",
  "blend",
  "modal",
  "zoom",
  "shorten",
  "high_variation",
  "low_variation",
  "pan",
  "describe",
  "upscale",
  "swap_face",
  "inpaint",
  "custom_zoom",
  "upload",
];

/** Any server with the API of https://github.com/novicezk/midjourney-proxy. */
export const midjourney: Provider = {
  type: 34,
  id: "midjourney",
  label: "Midjourney proxy",
  group: "media",
  help: "provider-media",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["midjourney"],
  keyHint: "mj-api-secret",
  // The fast mode has no prefix.
  models: ["", "turbo_", "relax_"].flatMap((speed) => actions.map((action) => `mj_${speed}${action}`)),
  testModel: "",
  website: "",
  headers: (key) => ({ "mj-api-secret": key }),
  listing: "none",
};
