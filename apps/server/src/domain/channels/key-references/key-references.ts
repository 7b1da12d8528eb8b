import { isCloud, type KeyReference, parseKeyReference } from "@gateway/shared/channels/key-reference";
import { type Provider, tokenScope } from "#providers/provider.ts";
import { ReferencedKey, type ReferencedKeyOptions } from "./referenced-key.ts";

/** Keys of channels that are stored elsewhere. Channels with the same reference share one value. */
export interface KeyReferences {
  /** Returns the key of a reference and begins to read it. Undefined for a text that is no reference of this provider. */
  find(text: string, provider: Pick<Provider, "identity">): ReferencedKey | undefined;
  /** Returns why a reference cannot be read; undefined while it can or when no channel uses it. */
  faultOf(text: string): string | undefined;
  /** Whether a key cannot be read. */
  isFailing(): boolean;
  close(): void;
}

/** Whether a channel of this provider can use the reference. An identity of a cloud is of no use elsewhere. */
export function acceptsReference(
  { identity }: Pick<Provider, "identity">,
  { source }: KeyReference,
): boolean {
  return !isCloud(source) || identity?.cloud === source;
}

const REFRESH_EVERY_MS = 60_000;

export function createKeyReferences(options: ReferencedKeyOptions): KeyReferences {
  // Weak: channels hold their keys. A key that no channel uses any more is no longer read.
  const known = new Map<string, WeakRef<ReferencedKey>>();
  let timer: NodeJS.Timeout | undefined;

  function refresh(): void {
    for (const [name, weak] of known) {
      const key = weak.deref();
      if (key === undefined) known.delete(name);
      else key.refresh();
    }
    if (known.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    find(text, provider) {
      const reference = parseKeyReference(text);
      if (reference === undefined || !acceptsReference(provider, reference)) return undefined;
      const scope = tokenScope(provider);
      const name = `${scope} ${text}`;
      let key = known.get(name)?.deref();
      if (key === undefined) {
        key = new ReferencedKey(text, reference, scope, options);
        known.set(name, new WeakRef(key));
        timer ??= setInterval(refresh, REFRESH_EVERY_MS).unref();
      }
      key.refresh();
      return key;
    },
    faultOf(text) {
      for (const weak of known.values()) {
        const key = weak.deref();
        if (key?.text === text && key.fault !== undefined) return key.fault;
      }
      return undefined;
    },
    isFailing: () => [...known.values()].some((weak) => weak.deref()?.fault !== undefined),
    close: () => clearInterval(timer),
  };
}
