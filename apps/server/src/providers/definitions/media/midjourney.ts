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

/** Any server with the wire of https://github.com/novicezk/midjourney-proxy. */
export const midjourney: Provider = {
  type: 34,
  id: "midjourney",
  label: "Midjourney proxy",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["midjourney"],
  keyHint: "mj-api-secret",
  // Fast has no word of its own.
  models: ["", "turbo_", "relax_"].flatMap((speed) => actions.map((action) => `mj_${speed}${action}`)),
  testModel: "",
  website: "",
  headers: (key) => ({ "mj-api-secret": key }),
  listing: "none",
};
