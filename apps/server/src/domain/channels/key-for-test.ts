/** The key and the model with which a channel is tested. */
import type { ChannelInput } from "@gateway/shared/channels/channel";
import { referenceSource } from "@gateway/shared/channels/key-reference";
import { conflict } from "#errors.ts";
import type { ChannelForTest, ChannelWithParts } from "./channel-row.ts";
import type { ChannelDeps, ChannelEditDeps } from "./channels.ts";
import type { KeyReferences } from "./key-references/key-references.ts";
import { testModelOf } from "./selection/active-channel.ts";
import { channelKeyContext } from "./selection/load-channels.ts";

/** Returns the key that a test of this channel uses: the first enabled one, else the first. */
export function firstKey(row: ChannelWithParts): ChannelWithParts["keys"][number] | undefined {
  return row.keys.find((each) => each.status === 1) ?? row.keys[0];
}

/** The key of a call that an administrator requests. */
export type KeyForTest = Pick<ChannelForTest, "key" | "referenced">;

export interface KeyDeps extends Pick<ChannelEditDeps, "secrets" | "providers"> {
  keyReferences: KeyReferences;
}

/** Returns the key of `firstKey`; "" when the channel has none. Throws `conflict` if it is unreadable. */
export function openFirstKey(deps: KeyDeps, row: ChannelWithParts): KeyForTest {
  const stored = firstKey(row);
  if (stored === undefined) return { key: "" };
  let key: string;
  try {
    key = deps.secrets.decrypt(stored.key_encrypted, channelKeyContext(row.id));
  } catch (cause) {
    throw conflict({ reason: "channel_key_unreadable" }, { field: "key", cause });
  }
  return stored.reference === null ? { key } : referencedKey(deps, row.type, key);
}

/** Returns a key as it was entered, for a channel of this type. */
export function enteredKey(deps: KeyDeps, type: number, key: string): KeyForTest {
  return referenceSource(key) === undefined ? { key } : referencedKey(deps, type, key);
}

function referencedKey({ providers, keyReferences }: KeyDeps, type: number, key: string): KeyForTest {
  const provider = providers.get(type);
  const referenced = provider === undefined ? undefined : keyReferences.find(key, provider);
  // Without its value, the reference itself would be sent as the key.
  return referenced === undefined ? { key: "" } : { key, referenced };
}

/** Returns the test model of a channel. Throws `conflict` if it has none. */
export function testModelFor(
  deps: Pick<ChannelDeps, "providers">,
  input: Pick<ChannelInput, "test_model" | "models" | "type">,
): string {
  const requested = { testModel: input.test_model, models: input.models };
  const model = testModelOf(requested, deps.providers.get(input.type));
  if (model) return model;
  throw conflict(
    { reason: "test_model_missing" },
    { issues: { test_model: { reason: "test_model_required" } } },
  );
}
