/** Commands that operators define for the bot, with their replies. Independent of Telegram's API. */
import { MOST_MENUS, ownCommands, type TelegramMenuInput } from "@gateway/shared/site/telegram";
import { type Actor, createAuditor } from "#domain/audit-log/audit.ts";
import { conflict, notFound } from "#errors.ts";
import { advisoryLocks } from "#platform/database/advisory-locks.ts";
import type { Db } from "#platform/database/db.ts";
import { isDuplicate } from "#platform/database/duplicate.ts";
import type { Prisma, PrismaClient, TelegramMenu } from "#platform/prisma/client.ts";

const auditMenu = createAuditor<TelegramMenu>("telegram_menu", ({ command }) => command);

export interface MenuWish {
  keyword: string;
  skip: number;
  take: number;
  orderBy: Prisma.TelegramMenuOrderByWithRelationInput[];
}

/** Lists commands. `keyword` is an id or the start of a command, with or without its slash. */
export async function listMenus(db: Db, { keyword, ...slice }: MenuWish) {
  const word = keyword.replace(/^\//, "").toLowerCase();
  const id = /^\d{1,9}$/.test(word) ? [{ id: Number(word) }] : [];
  const where = word === "" ? {} : { OR: [...id, { command: { startsWith: word } }] };
  const [rows, total] = await Promise.all([
    db.telegramMenu.findMany({ where, ...slice }),
    db.telegramMenu.count({ where }),
  ]);
  return { rows, total };
}

/** Returns the commands in display order, without those that are now built in. */
export async function offeredMenus(db: Db): Promise<TelegramMenu[]> {
  const where = { command: { notIn: [...ownCommands] } };
  return db.telegramMenu.findMany({ where, orderBy: { id: "asc" }, take: MOST_MENUS });
}

export async function findMenu(db: Db, command: string): Promise<TelegramMenu | null> {
  return db.telegramMenu.findUnique({ where: { command } });
}

/** Returns a command. Throws `not_found`. */
export async function getMenu(db: Db, id: number): Promise<TelegramMenu> {
  const menu = await db.telegramMenu.findUnique({ where: { id } });
  if (menu === null) throw notFound({ reason: "command_not_found" });
  return menu;
}

/**
 * Creates or changes a command. Throws `not_found`, and `conflict` if another row has the command or there
 * are too many.
 */
export async function saveMenu(
  db: PrismaClient,
  actor: Actor,
  { id, ...input }: TelegramMenuInput,
): Promise<TelegramMenu> {
  try {
    return await db.$transaction(async (tx) => {
      if (id === 0) return createMenu(tx, actor, input);
      const before = await getMenu(tx, id);
      const after = await tx.telegramMenu.update({ where: { id }, data: input });
      await auditMenu(tx, actor, "telegram_menu.change", before, after);
      return after;
    });
  } catch (error) {
    throw isDuplicate(error) ? conflict({ reason: "command_taken" }, { field: "command" }) : error;
  }
}

/** Deletes a command. Throws `not_found`. */
export async function deleteMenu(db: PrismaClient, actor: Actor, id: number): Promise<void> {
  await db.$transaction(async (tx) => {
    const before = await getMenu(tx, id);
    await tx.telegramMenu.delete({ where: { id } });
    await auditMenu(tx, actor, "telegram_menu.delete", before, undefined);
  });
}

async function createMenu(tx: Db, actor: Actor, input: Omit<TelegramMenuInput, "id">): Promise<TelegramMenu> {
  // Concurrent requests count one after the other.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(${advisoryLocks.addTelegramMenu}::bigint)`;
  if ((await tx.telegramMenu.count()) >= MOST_MENUS) {
    throw conflict({ reason: "too_many_commands" });
  }
  const menu = await tx.telegramMenu.create({ data: input });
  await auditMenu(tx, actor, "telegram_menu.create", undefined, menu);
  return menu;
}
