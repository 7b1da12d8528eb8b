/**
 * OpenID Connect providers that root has added. Accounts name theirs as `oidc:<slug>`. Issuer, slug and subject
 * claim never change, so a linked account always belongs to the person that it was linked with.
 */
import {
  AssignmentRule,
  type IdentityProviderChange,
  type IdentityProviderInput,
  type OfferedIdentityProvider,
  subjectClaims,
  type TableProviderKey,
} from "@gateway/shared/accounts/identity-provider";
import { type Actor, createAuditor } from "#domain/audit-log/audit.ts";
import { conflict, invalidRequest, notFound } from "#errors.ts";
import { lockCount } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import { lockGroups } from "#platform/database/group-locks.ts";
import type { IdentityProvider, Prisma, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import type { OidcConfig } from "#sign-in/oidc-client.ts";

const auditProvider = createAuditor<IdentityProvider>("identity_provider", ({ slug }) => slug);

/** Most providers that can be added. All of them are on the sign-in page. */
const MOST_PROVIDERS = 50;

export function providerKeyOf({ slug }: { slug: string }): TableProviderKey {
  return `oidc:${slug}`;
}

/** A provider with its rules, and the number of linked accounts. */
export interface DescribedProvider extends Omit<IdentityProvider, "rules" | "subject_claim"> {
  rules: AssignmentRule[];
  subject_claim: (typeof subjectClaims)[number];
  account_count: number;
}

export async function listProviders(db: Db): Promise<DescribedProvider[]> {
  const rows = await db.identityProvider.findMany({ orderBy: { id: "asc" } });
  const counts = await db.identity.groupBy({
    by: ["provider"],
    where: { provider: { in: rows.map(providerKeyOf) } },
    _count: true,
  });
  const countOf = new Map<string, number>(counts.map(({ provider, _count }) => [provider, _count]));
  return rows.map((row) => ({
    ...row,
    rules: rulesOf(row),
    subject_claim: subjectClaimOf(row),
    account_count: countOf.get(providerKeyOf(row)) ?? 0,
  }));
}

/** Returns a provider with its rules. Throws `not_found`. */
export async function describeProvider(db: Db, id: number): Promise<DescribedProvider> {
  const row = await getProvider(db, id);
  const account_count = await db.identity.count({ where: { provider: providerKeyOf(row) } });
  return { ...row, rules: rulesOf(row), subject_claim: subjectClaimOf(row), account_count };
}

/** Throws `not_found`. */
export async function getProvider(db: Db, id: number): Promise<IdentityProvider> {
  const row = await db.identityProvider.findUnique({ where: { id } });
  if (row === null) throw notFound({ reason: "identity_provider_not_found" });
  return row;
}

/** Returns the enabled provider with this slug; null if there is none. */
export async function findEnabledProvider(db: Db, slug: string): Promise<IdentityProvider | null> {
  return db.identityProvider.findFirst({ where: { slug, enabled: true } });
}

export async function listEnabledProviders(db: Db): Promise<OfferedIdentityProvider[]> {
  return db.identityProvider.findMany({
    where: { enabled: true },
    select: { slug: true, name: true, preset: true },
    orderBy: { id: "asc" },
  });
}

/** Rules as stored. Those that this version cannot read decide nothing. */
export function rulesOf({ rules }: Pick<IdentityProvider, "rules">): AssignmentRule[] {
  return AssignmentRule.array().safeParse(rules).data ?? [];
}

function subjectClaimOf({ subject_claim }: Pick<IdentityProvider, "subject_claim">) {
  return subjectClaims.find((each) => each === subject_claim) ?? "sub";
}

/** Returns what a sign-in with the provider needs, with its secret. */
export function configOf(row: IdentityProvider, secrets: Secrets): OidcConfig {
  return {
    label: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    clientSecret: secrets.decrypt(row.client_secret, secretContext(row)),
    scopes: row.scopes,
    usernameClaim: row.username_claim,
    subjectClaim: subjectClaimOf(row),
    groupsClaim: row.groups_claim,
  };
}

function secretContext({ slug }: { slug: string }): string {
  return `identity-provider:${slug}`;
}

/** Adds a provider. Throws `conflict` for a slug that is taken, and `invalid_request` for an unknown group. */
export async function createProvider(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  input: IdentityProviderInput,
): Promise<IdentityProvider> {
  return db.$transaction(async (tx) => {
    await requireGroups(tx, input.rules);
    await lockCount(tx, "identity_providers");
    if ((await tx.identityProvider.count()) >= MOST_PROVIDERS)
      throw conflict({ reason: "too_many_identity_providers", most: MOST_PROVIDERS });
    const data = { ...input, client_secret: secrets.encrypt(input.client_secret, secretContext(input)) };
    // Of two concurrent requests with one slug, the second inserts nothing.
    const [row] = await tx.identityProvider.createManyAndReturn({ data: [data], skipDuplicates: true });
    if (row === undefined) throw conflict({ reason: "identity_provider_taken" }, { field: "slug" });
    await auditProvider(tx, actor, "identity_provider.create", undefined, row);
    return row;
  });
}

/** Changes a provider. An empty secret keeps the stored one. Throws the errors of `createProvider`. */
export async function changeProvider(
  db: PrismaClient,
  secrets: Secrets,
  actor: Actor,
  { id, client_secret, ...values }: IdentityProviderChange,
): Promise<IdentityProvider> {
  return db.$transaction(async (tx) => {
    const before = await lockProvider(tx, id);
    await requireGroups(tx, values.rules);
    const after = await tx.identityProvider.update({
      where: { id },
      data: {
        ...values,
        ...(client_secret === ""
          ? {}
          : { client_secret: secrets.encrypt(client_secret, secretContext(before)) }),
      },
    });
    await auditProvider(tx, actor, "identity_provider.change", before, after);
    return after;
  });
}

/** Deletes a provider and its links. The accounts stay. Throws `not_found`. */
export async function deleteProvider(db: PrismaClient, actor: Actor, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await lockProvider(tx, id);
    await tx.identity.deleteMany({ where: { provider: providerKeyOf(before) } });
    await tx.identityProvider.delete({ where: { id } });
    await auditProvider(tx, actor, "identity_provider.delete", before, undefined);
  });
}

/** Returns the row, locked until the transaction ends. Throws `not_found`. */
export async function lockProvider(tx: Prisma.TransactionClient, id: number): Promise<IdentityProvider> {
  await tx.$executeRaw`SELECT 1 FROM identity_providers WHERE id = ${id} FOR UPDATE`;
  return getProvider(tx, id);
}

async function requireGroups(tx: Prisma.TransactionClient, rules: readonly AssignmentRule[]): Promise<void> {
  const symbols = rules.map(({ group }) => group).filter((symbol) => symbol !== "");
  const known = await lockGroups(tx, symbols);
  const place = rules.findIndex(({ group }) => group !== "" && !known.has(group));
  if (place >= 0) throw invalidRequest({ reason: "group_unknown" }, { field: `rules.${place}.group` });
}
