import type { ChannelInput } from "@gateway/shared/channels/channel";
import { GatewayError } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import type { Provider } from "#providers/provider.ts";
import type { Providers } from "#providers/registry.ts";

/** What a schema cannot see in a channel: the provider's demands, groups that exist, values that a wire cannot carry. */

/**
 * Throws `invalid_request` with a sentence for every field that does not fit.
 * @param hasKey a key is given, or stored already
 */
export async function checkChannel(
  db: Db,
  providers: Providers,
  input: ChannelInput,
  hasKey: boolean,
): Promise<void> {
  const fields = upstreamFaults(providers, input, hasKey);
  const known = await db.userGroup.findMany({
    where: { symbol: { in: input.groups } },
    select: { symbol: true },
  });
  const unknown = input.groups.filter((symbol) => !known.some((group) => group.symbol === symbol));
  if (unknown.length === 0) return refuse(fields);
  fields["groups"] = "There is no such group.";
  refuse(fields, `There is no group named "${unknown.join('", "')}".`);
}

/** The part that matters for a call without storing. */
export function checkUpstream(providers: Providers, input: ChannelInput, hasKey: boolean): void {
  refuse(upstreamFaults(providers, input, hasKey));
}

/** @param first what is said of the whole; unless given, what is said of the first field */
function refuse(fields: Record<string, string>, first = Object.values(fields)[0]): void {
  if (first !== undefined) throw new GatewayError("invalid_request", first, { fields });
}

function upstreamFaults(providers: Providers, input: ChannelInput, hasKey: boolean): Record<string, string> {
  const provider = providers.get(input.type);
  if (provider === undefined) return { type: "Channel type error" };
  const fields: Record<string, string> = {};
  if (!hasKey && provider.keyless !== true) fields["key"] = "API key is required";
  const address = addressFault(provider, input.base_url);
  if (address !== undefined) fields["base_url"] = address;
  const plugin = provider.plugin?.safeParse(input.plugin);
  for (const issue of plugin?.error?.issues ?? [])
    fields[["plugin", ...issue.path].join(".")] ??= issue.message;
  return fields;
}

function addressFault(provider: Provider, address: string): string | undefined {
  if (address === "") {
    return provider.baseUrl === "" ? "API address is required" : undefined;
  }
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    return "The address must not contain a user name or password.";
  if (url.search !== "" || url.hash !== "") return "The address must end before any ? or #.";
  return undefined;
}
