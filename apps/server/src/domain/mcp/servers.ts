/**
 * Remote MCP servers. A stored credential is sent only to the address and in the header that it was entered for, as for
 * channels.
 */
import { Role } from "@gateway/shared/accounts/roles";
import {
  MOST_MCP_SERVERS,
  type McpServerChange,
  type McpServerInput,
  type McpServerRow,
  McpToolPrices,
} from "@gateway/shared/channels/mcp";
import { type Actor, createAuditor } from "#domain/audit-log/audit.ts";
import { conflict, forbidden, invalidFields, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { lockCount } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import type { McpServer, Prisma, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";

const auditServer = createAuditor<McpServer>("mcp_server", ({ id }) => id);

/** A server as responses show it, without its credential. */
export type DescribedServer = Omit<McpServer, "credential" | "tool_prices" | "updated_time"> &
  Pick<McpServerRow, "has_credential" | "tool_prices">;

export async function listServers(db: Db): Promise<DescribedServer[]> {
  return (await db.mcpServer.findMany({ orderBy: { name: "asc" } })).map(describeServer);
}

function describeServer({ credential, updated_time: _time, ...row }: McpServer): DescribedServer {
  return { ...row, has_credential: credential !== null, tool_prices: toolPricesOf(row) };
}

/** Prices as stored. Those that this version cannot read are not used. */
export function toolPricesOf({ tool_prices }: Pick<McpServer, "tool_prices">): McpServerRow["tool_prices"] {
  return McpToolPrices.safeParse(tool_prices).data ?? [];
}

export function credentialContext({ id }: Pick<McpServer, "id">): string {
  return `mcp-server:${id}`;
}

/** Adds a server. Throws `conflict` for a name that is taken, and `forbidden` for what only root may do. */
export async function createServer(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  { credential, ...data }: McpServerInput,
): Promise<DescribedServer> {
  requirePrivateByRoot(actor, data.private_address);
  return db.$transaction(async (tx) => {
    await lockCount(tx, "mcp_servers");
    if ((await tx.mcpServer.count()) >= MOST_MCP_SERVERS)
      throw conflict({ reason: "too_many_mcp_servers", most: MOST_MCP_SERVERS });
    // Of two concurrent requests with one name, the second inserts nothing.
    const [row] = await tx.mcpServer.createManyAndReturn({ data: [data], skipDuplicates: true });
    if (row === undefined) throw conflict({ reason: "mcp_server_taken" }, { field: "name" });
    const created = await tx.mcpServer.update({
      where: { id: row.id },
      data: { credential: credential === "" ? null : secrets.encrypt(credential, credentialContext(row)) },
    });
    await auditServer(tx, actor, "mcp_server.create", undefined, created);
    await announce(tx, "mcp");
    return describeServer(created);
  });
}

/** Changes a server. Throws the errors of `createServer`, and `invalid_request` for a credential that would move. */
export async function changeServer(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  { id, credential, drop_credential, ...data }: McpServerChange,
): Promise<DescribedServer> {
  return db.$transaction(async (tx) => {
    const before = await lockServer(tx, id);
    if (!before.private_address) requirePrivateByRoot(actor, data.private_address);
    if (before.private_address && before.url !== data.url) requirePrivateByRoot(actor, data.private_address);
    const keeps = before.credential !== null && credential === "" && !drop_credential;
    if (keeps) requireSameDestination(actor, before, data);
    await requireFreeName(tx, id, data.name);
    const sealed = credential === "" ? null : secrets.encrypt(credential, credentialContext(before));
    const after = await tx.mcpServer.update({
      where: { id },
      data: keeps ? data : { ...data, credential: sealed },
    });
    await auditServer(tx, actor, "mcp_server.change", before, after);
    await announce(tx, "mcp");
    return describeServer(after);
  });
}

/** Deletes a server, also from its bundles. Throws `not_found`. */
export async function deleteServer(db: PrismaClient, actor: Actor, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await lockServer(tx, id);
    await tx.mcpServer.delete({ where: { id } });
    await auditServer(tx, actor, "mcp_server.delete", before, undefined);
    await announce(tx, "mcp");
  });
}

async function lockServer(tx: Prisma.TransactionClient, id: number): Promise<McpServer> {
  await tx.$executeRaw`SELECT 1 FROM mcp_servers WHERE id = ${id} FOR UPDATE`;
  const row = await tx.mcpServer.findUnique({ where: { id } });
  if (row === null) throw notFound({ reason: "mcp_server_not_found" });
  return row;
}

async function requireFreeName(tx: Prisma.TransactionClient, id: number, name: string): Promise<void> {
  const other = await tx.mcpServer.findFirst({ where: { name, id: { not: id } }, select: { id: true } });
  if (other !== null) throw conflict({ reason: "mcp_server_taken" }, { field: "name" });
}

function requirePrivateByRoot({ role }: Actor, isPrivate: boolean): void {
  if (isPrivate && role !== Role.root)
    throw forbidden({ reason: "mcp_private_by_root" }, { field: "private_address" });
}

/** Whoever cannot read the credential must not send it elsewhere. */
function requireSameDestination(
  { role }: Actor,
  before: Pick<McpServer, "url" | "header">,
  after: Pick<McpServer, "url" | "header">,
): void {
  if (role === Role.root || (before.url === after.url && before.header === after.header)) return;
  const error = invalidFields({ credential: { reason: "credentials_moved" } });
  if (error !== undefined) throw error;
}
