import { lookupTable } from "@gateway/shared/lookup-table";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import type { GatewayError } from "#errors.ts";
import type { GatewayServices } from "#gateway/services.ts";

interface LimitPage {
  /** What the reader does there. */
  readonly does: string;
  readonly path: string;
}

const tokens: LimitPage = { does: "Change the limits of the key at", path: "/panel/token" };
const budgets: LimitPage = { does: "See your budgets at", path: "/panel/dashboard" };

/** The page of the console on which the owner of a key can have more, by the code of the error. */
const pages = lookupTable<LimitPage>({
  insufficient_quota: { does: "Top up at", path: "/panel/topup" },
  token_quota_exhausted: tokens,
  spend_limit_reached: tokens,
  session_budget_exhausted: tokens,
  budget_exceeded: budgets,
});

/** The limits of rates that the owner of a key sets. */
const ownRates: ReadonlySet<unknown> = new Set([
  "key_requests_per_minute",
  "key_tokens_per_minute",
  "one_call_at_once",
  "calls_at_once",
]);

/**
 * Returns the error of a limit with a link to where the reader can have more. Unchanged for other errors, and for a
 * site without a public address.
 * @param root the base path: "" or "/gateway"
 */
export function withLimitLink(
  { relay }: Pick<GatewayServices, "relay">,
  error: GatewayError,
  root: string,
): GatewayError {
  if (error.status !== 402 && error.status !== 429) return error;
  const page = ownRates.has(error.params["reason"]) ? tokens : pages[error.code];
  const site = page === undefined ? undefined : publicUrlOf(relay.settings.current(), root);
  if (page === undefined || site === undefined) return error;
  const message = `${error.message} ${page.does} ${site}${page.path}`;
  // Not changed in place: several calls may end with the same error.
  return Object.create(error, { message: { value: message } }) as GatewayError;
}
