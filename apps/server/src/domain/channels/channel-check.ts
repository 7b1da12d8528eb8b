/**
 * Checks that a schema cannot make: provider requirements, existing groups, and values that cannot be sent.
 */
import type { ChannelInput } from "@gateway/shared/channels/channel";
import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import { invalidFields } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { lockGroups } from "#platform/database/group-locks.ts";
import type { Provider } from "#providers/provider.ts";
import type { Providers } from "#providers/registry.ts";

/**
 * Throws `invalid_request` with an issue for every invalid field.
 * @param hasKey whether a key is given or already stored
 */
export async function checkChannel(
  db: Db,
  providers: Providers,
  input: ChannelInput,
  hasKey: boolean,
): Promise<void> {
  const fields = upstreamFaults(providers, input, hasKey);
  const known = await lockGroups(db, input.groups);
  const unknown = input.groups.filter((symbol) => !known.has(symbol));
  if (unknown.length === 0) return refuse(fields);
  const groups = unknown.map((symbol) => `"${symbol}"`).join(", ");
  refuse({ groups: { reason: "groups_unknown", groups }, ...fields });
}

/** Checks only what matters for a test call without storing the channel. */
export function checkUpstream(providers: Providers, input: ChannelInput, hasKey: boolean): void {
  refuse(upstreamFaults(providers, input, hasKey));
}

function refuse(fields: Record<string, FieldIssue>): void {
  const error = invalidFields(fields);
  if (error !== undefined) throw error;
}

function upstreamFaults(
  providers: Providers,
  input: ChannelInput,
  hasKey: boolean,
): Record<string, FieldIssue> {
  const provider = providers.get(input.type);
  if (provider === undefined) return { type: { reason: "channel_type_unknown" } };
  const fields: Record<string, FieldIssue> = {};
  if (!hasKey && provider.keyless !== true) fields["key"] = { reason: "channel_key_required" };
  const address = addressFault(provider, input.base_url);
  if (address !== undefined) fields["base_url"] = address;
  const plugin = provider.plugin?.safeParse(input.plugin);
  for (const issue of plugin?.error?.issues ?? [])
    fields[["plugin", ...issue.path].join(".")] ??= issueOf(issue, input.plugin);
  return fields;
}

function addressFault(provider: Provider, address: string): FieldIssue | undefined {
  if (address === "") {
    return provider.baseUrl === "" ? { reason: "channel_address_required" } : undefined;
  }
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return { reason: "address_has_password" };
  if (url.search !== "" || url.hash !== "") return { reason: "address_has_query" };
  return undefined;
}
