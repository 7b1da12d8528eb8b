import { endpoint } from "./endpoint.mjs";
import { logValue } from "./log-value.mjs";
import { notice } from "./notice.mjs";
import { paymentGateway } from "./payment-gateway.mjs";
import { provider } from "./provider.mjs";
import { setting } from "./setting.mjs";

/**
 * @typedef {object} Recipe
 * @property {string} about
 * @property {{ pattern: RegExp, example: string }} name  spelling of the first argument
 * @property {string} [args]  what follows the name
 * @property {(...args: string[]) => import("./edits.mjs").Edit[]} edits
 * @property {(name: string) => string[]} next  what is left to do by hand
 * @property {number} most  files that the recipe may touch, without locale files, generated files and documentation
 * @property {string[]} byHand  files that are edited by hand besides those of `edits`
 * @property {string[]} example  arguments with which pnpm verify:recipes runs it
 * @property {string[]} tests  test files and folders that check it
 */

/** @type {Record<string, Recipe>} */
export const recipes = {
  provider,
  setting,
  endpoint,
  "log-value": logValue,
  notice,
  "payment-gateway": paymentGateway,
};
