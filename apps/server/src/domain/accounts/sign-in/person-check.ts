import type { Settings } from "@gateway/shared/site/settings";
import { GatewayError } from "#errors.ts";

/** Checks that the client is a person, with Cloudflare Turnstile. Off by default. */
export type PersonCheck = (token: string, ip: string) => Promise<void>;

const VERIFY = "https://challenges.cloudflare.com/turnstile/v0/siteverify";
const TIMEOUT_MS = 8_000;

export interface PersonCheckOptions {
  settings: () => Pick<Settings, "TurnstileCheckEnabled" | "TurnstileSecretKey">;
  fetch: typeof globalThis.fetch;
  /** Overrides the address in tests. */
  address?: string;
}

/**
 * Creates the check. The check throws `person_unproven` for a token that is missing, used or of another
 * client, and `upstream_failed` if the service cannot be reached.
 */
export function createPersonCheck({ settings, fetch, address = VERIFY }: PersonCheckOptions): PersonCheck {
  return async (token, ip) => {
    const { TurnstileCheckEnabled, TurnstileSecretKey } = settings();
    if (!TurnstileCheckEnabled) return;
    if (token === "") throw unproven();
    const form = new URLSearchParams({ secret: TurnstileSecretKey, response: token, remoteip: ip });
    let answer: unknown;
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(address, { method: "POST", body: form, signal, redirect: "error" });
      answer = await response.json();
    } catch (cause) {
      throw new GatewayError(
        "upstream_failed",
        { reason: "person_check_unreachable" },
        {
          cause,
        },
      );
    }
    if (typeof answer !== "object" || answer === null || !("success" in answer) || answer.success !== true) {
      throw unproven();
    }
  };
}

function unproven(): GatewayError {
  return new GatewayError("person_unproven");
}
