import type { Balances } from "#domain/ledger/balances/balances.ts";
import type { Limiter } from "#domain/limits/take.ts";
import type { McpDirectory } from "#domain/mcp/directory.ts";
import type { StorageWatch } from "#domain/notices/storage.ts";
import type { Callers } from "#domain/tokens/callers.ts";
import type { Database } from "#platform/database/db.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { RelayServices } from "#relay/core/services.ts";
import type { McpSessions } from "#relay/mcp/sessions.ts";
import type { FailedKeys } from "./access/failed-keys.ts";

/** Dependencies of the endpoints for AI clients. */
export interface GatewayServices {
  callers: Callers;
  failedKeys: FailedKeys;
  limiter: Limiter;
  balances: Balances;
  relay: RelayServices;
  db: PrismaClient;
  database: Pick<Database, "pool">;
  /** Encrypts data that clients keep for this gateway, and finds keys by their hash. */
  secrets: Pick<Secrets, "encrypt" | "decrypt" | "hash">;
  /** Directory for large uploads during their call. */
  uploads: string;
  storage: StorageWatch;
  /** Remote MCP servers. */
  mcp: { directory: McpDirectory; sessions: McpSessions };
}
