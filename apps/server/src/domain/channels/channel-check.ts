/**
 * Checks that a schema cannot make: provider requirements, existing groups, and values that cannot be sent.
 */
import type { ChannelInput } from "@gateway/shared/channels/channel";
import { parseKeyReference, referenceForms, referenceSource } from "@gateway/shared/channels/key-reference";
import type { FieldIssue } from "@gateway/shared/errors";
import { issueOf } from "@gateway/shared/errors/issue";
import { invalidFields } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import { lockGroups } from "#platform/database/group-locks.ts";
import type { Provider } from "#providers/provider.ts";
import type { Providers } from "#providers/registry.ts";
import type { ChannelWithParts } from "./channel-row.ts";
import { acceptsReference } from "./key-references/key-references.ts";
import { keysOf } from "./keys.ts";

/** The stored keys that stay beside the entered ones. `later`: the channel may lack a key that its provider requires. */
type KeptKeys = readonly Pick<ChannelWithParts["keys"][number], "reference">[] | "later";

/** Throws `invalid_request` with an issue for every invalid field. */
export async function checkChannel(
  db: Db,
  providers: Providers,
  input: ChannelInput,
  kept: KeptKeys,
): Promise<void> {
  const fields = upstreamFaults(providers, input, kept);
  const known = await lockGroups(db, input.groups);
  const unknown = input.groups.filter((symbol) => !known.has(symbol));
  if (unknown.length === 0) return refuse(fields);
  const groups = unknown.map((symbol) => `"${symbol}"`).join(", ");
  refuse({ groups: { reason: "groups_unknown", groups }, ...fields });
}

/** Checks only what matters for a test call without storing the channel. */
export function checkUpstream(providers: Providers, input: ChannelInput, kept: KeptKeys): void {
  refuse(upstreamFaults(providers, input, kept));
}

function refuse(fields: Record<string, FieldIssue>): void {
  const error = invalidFields(fields);
  if (error !== undefined) throw error;
}

function upstreamFaults(
  providers: Providers,
  input: ChannelInput,
  kept: KeptKeys,
): Record<string, FieldIssue> {
  const provider = providers.get(input.type);
  if (provider === undefined) return { type: { reason: "channel_type_unknown" } };
  const fields: Record<string, FieldIssue> = {};
  const key = keyFault(provider, keysOf(input.key), kept);
  if (key !== undefined) fields["key"] = key;
  const address = addressFault(provider, input.base_url);
  if (address !== undefined) fields["base_url"] = address;
  const plugin = provider.plugin?.safeParse(input.plugin);
  for (const issue of plugin?.error?.issues ?? [])
    fields[["plugin", ...issue.path].join(".")] ??= issueOf(issue, input.plugin);
  return fields;
}

function keyFault(provider: Provider, entered: readonly string[], kept: KeptKeys): FieldIssue | undefined {
  if (entered.length + kept.length === 0 && provider.keyless !== true)
    return { reason: "channel_key_required" };
  const stored = kept === "later" ? [] : kept.flatMap(({ reference }) => reference ?? []);
  for (const key of [...entered, ...stored]) {
    const source = referenceSource(key);
    if (source === undefined) continue;
    const reference = parseKeyReference(key);
    if (reference === undefined) return { reason: "key_reference_invalid", form: referenceForms[source] };
    if (!acceptsReference(provider, reference))
      return { reason: "key_reference_provider", provider: provider.label, source };
  }
  return undefined;
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
