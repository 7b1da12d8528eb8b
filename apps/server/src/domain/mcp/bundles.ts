/** Bundles of MCP servers: who may use them, and which tools their clients see. */
import {
  MOST_MCP_BUNDLES,
  type McpBundleChange,
  type McpBundleInput,
  type UsableMcpBundle,
} from "@gateway/shared/channels/mcp";
import { type Actor, createAuditor } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { announce } from "#platform/announcements.ts";
import { lockCount } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import { lockGroups } from "#platform/database/group-locks.ts";
import type { McpBundle, Prisma, PrismaClient } from "#platform/prisma/client.ts";

/** A bundle with the ids of its servers. */
export type DescribedBundle = McpBundle & { servers: number[] };

const auditBundle = createAuditor<DescribedBundle>("mcp_bundle", ({ id }) => id);

const withServers = { servers: { select: { server_id: true }, orderBy: { server_id: "asc" } } } as const;

function describeBundle({
  servers,
  ...row
}: McpBundle & { servers: { server_id: number }[] }): DescribedBundle {
  return { ...row, servers: servers.map(({ server_id }) => server_id) };
}

export async function listBundles(db: Db): Promise<DescribedBundle[]> {
  const rows = await db.mcpBundle.findMany({ orderBy: { name: "asc" }, include: withServers });
  return rows.map(describeBundle);
}

/** Returns the enabled bundles that keys of one of these groups may use. */
export async function listUsableBundles(db: Db, groups: string[]): Promise<UsableMcpBundle[]> {
  const rows = await db.mcpBundle.findMany({
    where: { enabled: true, OR: [{ groups: { isEmpty: true } }, { groups: { hasSome: groups } }] },
    orderBy: { name: "asc" },
    include: {
      servers: {
        where: { server: { enabled: true } },
        select: { server: { select: { name: true } } },
        orderBy: { server: { name: "asc" } },
      },
    },
  });
  return rows.map(({ name, description, servers }) => ({
    name,
    description,
    servers: servers.map(({ server }) => server.name),
  }));
}

async function getBundle(db: Db, id: number): Promise<DescribedBundle> {
  const row = await db.mcpBundle.findUnique({ where: { id }, include: withServers });
  if (row === null) throw notFound({ reason: "mcp_bundle_not_found" });
  return describeBundle(row);
}

/** Adds a bundle. Throws `conflict` for a name that is taken, and `invalid_request` for unknown groups or servers. */
export async function createBundle(
  db: PrismaClient,
  actor: Actor,
  { servers, ...data }: McpBundleInput,
): Promise<DescribedBundle> {
  return db.$transaction(async (tx) => {
    await lockCount(tx, "mcp_bundles");
    if ((await tx.mcpBundle.count()) >= MOST_MCP_BUNDLES)
      throw conflict({ reason: "too_many_mcp_bundles", most: MOST_MCP_BUNDLES });
    await requireGroups(tx, data.groups);
    // Of two concurrent requests with one name, the second inserts nothing.
    const [row] = await tx.mcpBundle.createManyAndReturn({ data: [data], skipDuplicates: true });
    if (row === undefined) throw conflict({ reason: "mcp_bundle_taken" }, { field: "name" });
    await replaceServers(tx, row.id, servers);
    const created = await getBundle(tx, row.id);
    await auditBundle(tx, actor, "mcp_bundle.create", undefined, created);
    await announce(tx, "mcp");
    return created;
  });
}

/** Changes a bundle. Throws the errors of `createBundle`, and `not_found`. */
export async function changeBundle(
  db: PrismaClient,
  actor: Actor,
  { id, servers, ...data }: McpBundleChange,
): Promise<DescribedBundle> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM mcp_bundles WHERE id = ${id} FOR UPDATE`;
    const before = await getBundle(tx, id);
    await requireGroups(tx, data.groups);
    const other = await tx.mcpBundle.findFirst({
      where: { name: data.name, id: { not: id } },
      select: { id: true },
    });
    if (other !== null) throw conflict({ reason: "mcp_bundle_taken" }, { field: "name" });
    await tx.mcpBundle.update({ where: { id }, data });
    await replaceServers(tx, id, servers);
    const after = await getBundle(tx, id);
    await auditBundle(tx, actor, "mcp_bundle.change", before, after);
    await announce(tx, "mcp");
    return after;
  });
}

/** Deletes a bundle. Its servers stay. Throws `not_found`. */
export async function deleteBundle(db: PrismaClient, actor: Actor, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT 1 FROM mcp_bundles WHERE id = ${id} FOR UPDATE`;
    const before = await getBundle(tx, id);
    await tx.mcpBundle.delete({ where: { id } });
    await auditBundle(tx, actor, "mcp_bundle.delete", before, undefined);
    await announce(tx, "mcp");
  });
}

async function replaceServers(tx: Prisma.TransactionClient, id: number, servers: number[]): Promise<void> {
  const ids = [...new Set(servers)];
  // Locked, so that none is deleted before the rows refer to it.
  const found = await tx.$queryRaw<{ id: number }[]>`
    SELECT id FROM mcp_servers WHERE id = ANY(${ids}) ORDER BY id FOR SHARE`;
  if (found.length < ids.length)
    throw invalidRequest({ reason: "mcp_servers_unknown" }, { field: "servers" });
  await tx.mcpBundleServer.deleteMany({ where: { bundle_id: id } });
  await tx.mcpBundleServer.createMany({
    data: ids.map((server_id) => ({ bundle_id: id, server_id })),
  });
}

async function requireGroups(tx: Prisma.TransactionClient, symbols: readonly string[]): Promise<void> {
  const known = await lockGroups(tx, [...symbols]);
  if (symbols.some((symbol) => !known.has(symbol)))
    throw invalidRequest({ reason: "group_unknown" }, { field: "groups" });
}
