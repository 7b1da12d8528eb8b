/** Recognises the provider of a key by the form that its example shows. Pure. */
import type { ProviderInfo } from "@gateway/shared/channels/provider";

type KeyForm = Pick<ProviderInfo, "key_hint" | "group">;

/** "sk-ant-…" → "sk-ant-"; "" when the example does not begin with a fixed text. */
const beginningOf = ({ key_hint }: KeyForm): string => /^([\w-]+[-_a-zA-Z])…$/.exec(key_hint)?.[1] ?? "";

/**
 * Returns the providers whose keys begin like this one, with the longest beginning that fits. One is an answer; several are
 * a choice; none means that keys of this form are not known.
 */
export function providersOfKey<P extends KeyForm>(key: string, providers: readonly P[]): P[] {
  const fitting = providers
    .filter(({ group }) => group !== "discontinued")
    .map((provider) => ({ provider, beginning: beginningOf(provider) }))
    .filter(({ beginning }) => beginning !== "" && key.startsWith(beginning));
  const longest = Math.max(0, ...fitting.map(({ beginning }) => beginning.length));
  return fitting.filter(({ beginning }) => beginning.length === longest).map(({ provider }) => provider);
}
