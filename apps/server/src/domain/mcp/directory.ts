/** The enabled bundles and servers, in memory from the first request of an MCP client on. */
import type { Caller } from "#domain/tokens/callers.ts";
import { conflict, notFound } from "#errors.ts";
import type { Db } from "#platform/database/db.ts";
import type { McpServer } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { credentialContext, toolPricesOf } from "./servers.ts";
import type { ToolFilter } from "./tool-filter.ts";

/** A server as calls need it. */
export interface ActiveServer {
  readonly id: number;
  readonly name: string;
  /** Changes whenever the row does. */
  readonly version: number;
  readonly url: string;
  readonly mayBePrivate: boolean;
  readonly header: string;
  /** Value of the header; undefined without a stored credential. Throws `conflict` if it cannot be decrypted. */
  credential(): string | undefined;
  readonly timeoutMs: number;
  /** Dollars per call, decimal. */
  priceOf(tool: string): string;
}

export interface ActiveBundle {
  readonly name: string;
  readonly servers: readonly ActiveServer[];
  /** Of the bundle, and of the token where it has one. */
  readonly filters: readonly ToolFilter[];
}

export interface McpDirectory {
  /** Returns a bundle that the caller may use. Throws `not_found`. */
  find(name: string, caller: Pick<Caller, "group" | "setting">): Promise<ActiveBundle>;
  /** Reads again before the next request. */
  forget(): void;
}

interface StoredBundle extends ActiveBundle {
  readonly groups: ReadonlySet<string>;
}

export function createMcpDirectory(db: Db, secrets: Pick<Secrets, "decrypt">): McpDirectory {
  let loading: Promise<ReadonlyMap<string, StoredBundle>> | undefined;

  async function load(): Promise<ReadonlyMap<string, StoredBundle>> {
    const rows = await db.mcpBundle.findMany({
      where: { enabled: true },
      include: { servers: { include: { server: true } } },
    });
    return new Map(
      rows.map(({ name, groups, allow, deny, servers }) => [
        name,
        {
          name,
          groups: new Set(groups),
          filters: [{ allow, deny }],
          servers: servers
            .filter(({ server }) => server.enabled)
            .map(({ server }) => activeServer(server, secrets))
            .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        },
      ]),
    );
  }

  return {
    async find(name, { group, setting }) {
      const current = (loading ??= load());
      // A failed read is repeated by the next request.
      current.catch(() => {
        if (loading === current) loading = undefined;
      });
      const bundle = (await current).get(name);
      const own = setting.mcp;
      const isForGroup = bundle !== undefined && (bundle.groups.size === 0 || bundle.groups.has(group));
      const isForToken = own === undefined || own.bundles.length === 0 || own.bundles.includes(name);
      if (bundle === undefined || !isForGroup || !isForToken)
        throw notFound({ reason: "mcp_bundle_unknown", bundle: name });
      return own === undefined ? bundle : { ...bundle, filters: [...bundle.filters, own] };
    },
    forget() {
      loading = undefined;
    },
  };
}

function activeServer(row: McpServer, secrets: Pick<Secrets, "decrypt">): ActiveServer {
  const prices = new Map(toolPricesOf(row).map(({ tool, price }) => [tool, price.toFixed(6)]));
  const price = row.price.toFixed(6);
  return {
    id: row.id,
    name: row.name,
    version: row.updated_time.getTime(),
    url: row.url,
    mayBePrivate: row.private_address,
    header: row.header,
    timeoutMs: row.timeout_seconds * 1_000,
    priceOf: (tool) => prices.get(tool) ?? price,
    credential() {
      if (row.credential === null) return undefined;
      try {
        return secrets.decrypt(row.credential, credentialContext(row));
      } catch (cause) {
        throw conflict({ reason: "mcp_credential_unreadable", server: row.name }, { cause });
      }
    },
  };
}
