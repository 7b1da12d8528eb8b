import type { LogRow } from "@gateway/shared/usage/log";

/** Errors that occur before the log knows the model. */
const withoutModel = new Set(["model_not_found", "price_missing"]);

/** Returns the requested model. Calls for an unknown or unpriced model store it only in the facts of their failure. */
export function requestedModel({ model_name, content_facts }: LogRow): string {
  if (model_name !== "") return model_name;
  const model = content_facts.find(({ code }) => withoutModel.has(code))?.params["model"];
  return model === undefined ? "" : String(model);
}
