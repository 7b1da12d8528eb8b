import type { Provider } from "./provider.ts";

/** Any server with the wire of https://github.com/novicezk/midjourney-proxy. */
export const midjourney: Provider = {
  type: 34,
  id: "midjourney",
  label: "Midjourney proxy",
  baseUrl: "",
  dialects: ["openai-chat"],
  endpoints: ["midjourney"],
  keyHint: "mj-api-secret",
  models: [
    "mj_imagine",
    "mj_variation",
    "mj_reroll",
    "mj_blend",
    "mj_modal",
    "mj_zoom",
    "mj_shorten",
    "mj_high_variation",
    "mj_low_variation",
    "mj_pan",
    "mj_describe",
    "mj_upscale",
    "mj_swap_face",
    "mj_inpaint",
    "mj_custom_zoom",
    "mj_upload",
  ],
  testModel: "",
  website: "",
  headers: (key) => ({ "mj-api-secret": key }),
  listing: "none",
};
