import type { PaymentType } from "@gateway/shared/billing/payment-config";
import type { Settings } from "@gateway/shared/site/settings";
import { z } from "zod";
import type { PaymentClient } from "#payments/gateway.ts";
import type { PaymentGateways } from "#payments/index.ts";
import { currentTime } from "#platform/clock.ts";
import type { PaymentGateway as GatewayRecord, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";

/** Dependencies for taking payments. */
export interface PaymentDeps {
  db: PrismaClient;
  secrets: Secrets;
  settings(): Settings;
  gateways: PaymentGateways;
  fetch: typeof globalThis.fetch;
}

const Config = z.record(z.string(), z.string());

export function sealConfig(
  secrets: Secrets,
  uuid: string,
  config: Record<string, string>,
): Uint8Array<ArrayBuffer> {
  return secrets.encrypt(JSON.stringify(config), contextOf(uuid));
}

export function configOf(
  secrets: Secrets,
  { uuid, config_encrypted }: Pick<GatewayRecord, "uuid" | "config_encrypted">,
): Record<string, string> {
  if (config_encrypted === null) return {};
  return Config.parse(JSON.parse(secrets.decrypt(config_encrypted, contextOf(uuid))));
}

/** Returns the client of a gateway. Throws `internal` when its settings are incomplete. */
export function clientOf(deps: PaymentDeps, gateway: GatewayRecord): PaymentClient {
  const record = deps.gateways[gateway.type as PaymentType];
  return record.connect(configOf(deps.secrets, gateway), { fetch: deps.fetch, now: () => currentTime() });
}

function contextOf(uuid: string): string {
  return `payment:${uuid}`;
}
