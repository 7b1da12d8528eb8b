import { z } from "zod";
import { createKeyReferences, type KeyReferences } from "#domain/channels/key-references/key-references.ts";
import {
  keySourceSettings,
  type KeySourceSettings,
  keySourceVariables,
} from "#platform/key-sources/key-settings.ts";
import { createKeyReader } from "#platform/key-sources/read-key.ts";

/** Returns references to keys as a gateway with these variables has them. */
export function testKeyReferences(environment: Record<string, string> = {}): KeyReferences {
  return createKeyReferences({
    reader: createKeyReader(testKeySources(environment), { now: Date.now }),
    now: Date.now,
    onChange: () => undefined,
  });
}

export function testKeySources(environment: Record<string, string> = {}): KeySourceSettings {
  return keySourceSettings(z.object(keySourceVariables).parse(environment), environment);
}
