/** Administration of payment gateways. Secrets are write-only. */
import { randomUUID } from "node:crypto";
import type {
  PaymentChoice,
  PaymentInput,
  PaymentPatch,
  PaymentQuery,
  PaymentRow,
} from "@gateway/shared/billing/payment";
import { PaymentCurrency, paymentSecrets, PaymentType } from "@gateway/shared/billing/payment-config";
import { trimEndOf } from "@gateway/shared/trim-end";
import { type Actor, writeAudit } from "#domain/audit-log/audit.ts";
import { conflict, invalidFields, notFound } from "#errors.ts";
import type { PaymentGateways } from "#payments/index.ts";
import { currentTime, unixTime } from "#platform/clock.ts";
import type { Db } from "#platform/database/db.ts";
import { startsWithText } from "#platform/database/text-search.ts";
import type { PaymentGateway, Prisma, PrismaClient } from "#platform/prisma/client.ts";
import type { Secrets } from "#platform/secrets.ts";
import { configOf, sealConfig } from "./payment-deps.ts";

export interface GatewayEditing {
  db: PrismaClient;
  secrets: Secrets;
  gateways: PaymentGateways;
}

/** Throws `invalid_request` with an issue per field. */
export async function createGateway(
  { db, secrets, gateways }: GatewayEditing,
  actor: Actor,
  input: PaymentInput,
): Promise<PaymentGateway> {
  const config = checkedConfig(gateways, input.type, input.config);
  const uuid = randomUUID();
  return db.$transaction(async (tx) => {
    const data = { ...columnsOf(input), uuid, type: input.type };
    const created = await tx.paymentGateway.create({
      data: { ...data, config_encrypted: sealConfig(secrets, uuid, config) },
    });
    await auditGateway(tx, secrets, { actor, action: "payment.create", after: created });
    return created;
  });
}

/**
 * Changes a gateway; an empty secret keeps its value. Throws `conflict` when the type differs.
 * @param edit receives the current gateway without its secrets, and returns the new one
 */
export async function changeGateway(
  { db, secrets, gateways }: GatewayEditing,
  actor: Actor,
  id: number,
  edit: (now: PaymentRow) => PaymentInput,
): Promise<PaymentGateway> {
  return db.$transaction(async (tx) => {
    const before = await lockGateway(tx, id);
    const input = edit(describeGateway(secrets, before, ""));
    // Notifications of pending payments still arrive in the format of the old type.
    if (before.type !== input.type) {
      throw conflict({ reason: "payment_type_fixed" }, { field: "type" });
    }
    const stored = configOf(secrets, before);
    const given = { ...input.config };
    for (const name of paymentSecrets[input.type]) given[name] ||= stored[name] ?? "";
    const config = checkedConfig(gateways, input.type, given);
    const after = await tx.paymentGateway.update({
      where: { id },
      data: { ...columnsOf(input), config_encrypted: sealConfig(secrets, before.uuid, config) },
    });
    await auditGateway(tx, secrets, { actor, action: "payment.change", before, after });
    return after;
  });
}

export async function patchGateway(
  { db, secrets }: GatewayEditing,
  actor: Actor,
  id: number,
  { enable, sort }: PaymentPatch,
): Promise<PaymentGateway> {
  return db.$transaction(async (tx) => {
    const before = await lockGateway(tx, id);
    const data = { ...(enable === undefined ? {} : { enable }), ...(sort === undefined ? {} : { sort }) };
    const after = await tx.paymentGateway.update({ where: { id }, data });
    const action = enable === undefined ? "payment.change" : "payment.switch";
    await auditGateway(tx, secrets, { actor, action, before, after });
    return after;
  });
}

/** Disables new payments. Pending payments still arrive, so the row stays. */
export async function deleteGateway(
  { db, secrets }: GatewayEditing,
  actor: Actor,
  id: number,
): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await lockGateway(tx, id);
    await tx.paymentGateway.update({ where: { id }, data: { enable: false, deleted_at: currentTime() } });
    await auditGateway(tx, secrets, { actor, action: "payment.delete", before });
  });
}

/** Throws `not_found`. */
export async function getGateway(db: Db, id: number): Promise<PaymentGateway> {
  const found = await db.paymentGateway.findFirst({ where: { id, deleted_at: null } });
  if (found === null) throw notFound({ reason: "payment_gateway_not_found" });
  return found;
}

/**
 * Finds also a gateway that is disabled or deleted: an order that was opened with it may still be paid. Throws
 * `not_found`.
 */
export async function getNotifyingGateway(db: Db, uuid: string): Promise<PaymentGateway> {
  const found = await db.paymentGateway.findUnique({ where: { uuid } });
  if (found === null) throw notFound({ reason: "payment_gateway_not_found" });
  return found;
}

export interface GatewaySearch extends Pick<PaymentQuery, "name" | "uuid" | "type" | "currency"> {
  skip: number;
  take: number;
  orderBy: Prisma.PaymentGatewayOrderByWithRelationInput[];
}

export async function listGateways(
  db: Db,
  { name, uuid, type, currency, skip, take, orderBy }: GatewaySearch,
): Promise<{ rows: PaymentGateway[]; total: number }> {
  const where: Prisma.PaymentGatewayWhereInput = { deleted_at: null };
  if (name !== "") where.name = startsWithText(name);
  if (uuid !== "") where.uuid = uuid;
  if (type !== "") where.type = type;
  if (currency !== "") where.currency = currency;
  const [rows, total] = await Promise.all([
    db.paymentGateway.findMany({ where, skip, take, orderBy }),
    db.paymentGateway.count({ where }),
  ]);
  return { rows, total };
}

/** @param base public address of the gateway, unless the row has an address of its own */
export function describeGateway(secrets: Secrets, row: PaymentGateway, base: string): PaymentRow {
  const type = PaymentType.parse(row.type);
  const secret: readonly string[] = paymentSecrets[type];
  const config = configOf(secrets, row);
  return {
    ...shownOf(row),
    id: row.id,
    type,
    notify_domain: row.notify_domain,
    notify_url: notifyUrlOf(row, base),
    config: Object.fromEntries(Object.entries(config).filter(([name]) => !secret.includes(name))),
    secrets_set: secret.filter((name) => (config[name] ?? "") !== ""),
    enable: row.enable,
    created_at: unixTime(row.created_at),
  };
}

/** Returns the notification URL; "" while neither the row nor the settings contain an address. */
export function notifyUrlOf(row: Pick<PaymentGateway, "uuid" | "notify_domain">, base: string): string {
  const address = trimEndOf(row.notify_domain || base, "/");
  return address === "" ? "" : `${address}/api/payment/notify/${row.uuid}`;
}

/** Returns the available payment methods, sorted by preference. */
export async function listChoices(db: Db): Promise<PaymentChoice[]> {
  const rows = await db.paymentGateway.findMany({
    where: { enable: true, deleted_at: null },
    orderBy: [{ sort: "desc" }, { id: "asc" }],
    take: 100,
  });
  return rows.map((row) => ({ ...shownOf(row), type: PaymentType.parse(row.type) }));
}

function shownOf(row: PaymentGateway) {
  return {
    uuid: row.uuid,
    name: row.name,
    icon: row.icon,
    fixed_fee: row.fixed_fee.toNumber(),
    percent_fee: row.percent_fee.toNumber(),
    currency: PaymentCurrency.parse(row.currency),
    sort: row.sort,
  };
}

function columnsOf({
  name,
  icon,
  notify_domain,
  currency,
  fixed_fee,
  percent_fee,
  sort,
  enable,
}: PaymentInput) {
  return { name, icon, notify_domain, currency, fixed_fee, percent_fee, sort, enable };
}

function checkedConfig(
  gateways: PaymentGateways,
  type: PaymentType,
  config: Record<string, string>,
): Record<string, string> {
  const problems = Object.entries(gateways[type].problemsOf(config));
  const error = invalidFields(Object.fromEntries(problems.map(([name, issue]) => [`config.${name}`, issue])));
  if (error !== undefined) throw error;
  return config;
}

async function lockGateway(tx: Db, id: number): Promise<PaymentGateway> {
  await tx.$queryRaw`SELECT 1 FROM payments WHERE id = ${id} FOR UPDATE`;
  return getGateway(tx, id);
}

/** Writes an audit row with the non-secret settings, so that a redirected payment can be traced. */
async function auditGateway(
  tx: Db,
  secrets: Secrets,
  entry: { actor: Actor; action: string; before?: PaymentGateway; after?: PaymentGateway },
): Promise<void> {
  const describeRow = (row: PaymentGateway | undefined) => {
    if (row === undefined) return undefined;
    const { config_encrypted: _sealed, deleted_at: _gone, ...columns } = row;
    return { ...columns, config: describeGateway(secrets, row, "").config };
  };
  const { actor, action, before, after } = entry;
  await writeAudit(tx, {
    actor,
    action,
    targetType: "payment",
    targetId: (after ?? before)?.id ?? "",
    before: describeRow(before),
    after: describeRow(after),
  });
}
