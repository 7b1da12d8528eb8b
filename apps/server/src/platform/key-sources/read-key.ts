import type { KeyReference } from "@gateway/shared/channels/key-reference";
import { readAwsIdentity, readAwsSecret } from "./aws-keys.ts";
import { readAzureIdentity } from "./azure-identity.ts";
import { readGoogleIdentity } from "./google-identity.ts";
import { readKeyFile } from "./key-file.ts";
import type { KeySourceSettings } from "./key-settings.ts";
import { keyIn, KeyUnavailableError, type KeyValue } from "./key-value.ts";
import { openVault } from "./vault.ts";

/**
 * Reads keys of channels that are stored elsewhere. Where they may be read from is set in the environment. Libraries of
 * clouds are loaded when a reference needs them.
 */
export interface KeyReader {
  /**
   * Throws KeyUnavailableError, at the latest after the time limit.
   * @param scope resource for which a token of Azure is valid
   */
  read(reference: KeyReference, scope: string): Promise<KeyValue>;
}

const TIMEOUT_MS = 10_000;

export function createKeyReader(
  settings: KeySourceSettings,
  { now, timeoutMs = TIMEOUT_MS }: { now: () => number; timeoutMs?: number },
): KeyReader {
  const vault = settings.vault === undefined ? undefined : openVault(settings.vault, now);

  async function readFrom(reference: KeyReference, scope: string, signal: AbortSignal): Promise<KeyValue> {
    switch (reference.source) {
      case "env": {
        const text = settings.variables.get(reference.name);
        if (text === undefined) throw new KeyUnavailableError("this variable is not set");
        return { text: keyIn(text) };
      }
      case "file":
        return readKeyFile(settings.keysDir, reference.path);
      case "vault":
        if (vault === undefined) throw new KeyUnavailableError("VAULT_ADDR is not set");
        return vault.read(reference.path, reference.field, signal);
      case "aws-sm":
        return readAwsSecret(reference, signal);
      case "aws":
        return readAwsIdentity(reference);
      case "google":
        return readGoogleIdentity(reference, now);
      case "azure":
        return readAzureIdentity(
          { clientId: reference.clientId, scope, workload: settings.azureWorkload },
          now,
        );
    }
  }

  return {
    async read(reference, scope) {
      const signal = AbortSignal.timeout(timeoutMs);
      const late = Promise.withResolvers<never>();
      // The libraries of clouds take no signal, so the wait ends here.
      const onAbort = () =>
        late.reject(new KeyUnavailableError(`it was not read within ${timeoutMs / 1_000} seconds`));
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        return await Promise.race([readFrom(reference, scope, signal), late.promise]);
      } catch (error) {
        throw error instanceof KeyUnavailableError ? error : new KeyUnavailableError(messageOf(error), error);
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

/** What a library says, on one line and without anything that looks like a token. */
function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\beyJ[\w.-]+|\bya29\.[\w.-]+|\b(?:AKIA|ASIA)[A-Z\d]{8,}|\bhvs\.[\w-]+/g, "[removed]")
    .trim()
    .replace(/\.$/, "")
    .slice(0, 200);
}
