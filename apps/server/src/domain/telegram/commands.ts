/** Commands about the sender's own account. They are answered only in private chats. */
import { takeAttempt } from "#domain/accounts/sign-in/attempts.ts";
import { redeem } from "#domain/credits/redemptions.ts";
import { bookCharges } from "#domain/ledger/bookings/book-charges.ts";
import { amountText } from "#domain/notices/collect.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import { GatewayError } from "#errors.ts";
import type { User } from "#platform/prisma/client.ts";
import { keysPage } from "./api-keys.ts";
import { type BotMessages, botMessages } from "./bot-messages.ts";
import type { BotMessage, BotDeps } from "./bot.ts";
import { actorOf, linkByCode, linkedUser, type TelegramPerson, unlink } from "./link.ts";
import { messagesFor } from "./messages-for.ts";

type OwnCommand = keyof BotMessages["commands"];

export function isOwnCommand(command: string): command is OwnCommand {
  return Object.hasOwn(botMessages.en_US.commands, command);
}

/**
 * Returns the command that a reply to a prompt of the bot belongs to, in any language. The reply contains the
 * code that the prompt requested.
 */
export function promptedCommand(prompt: string, site: string): "bind" | "recharge" | undefined {
  const all = Object.values(botMessages);
  if (all.some((messages) => messages.howToRecharge === prompt)) return "recharge";
  return all.some((messages) => messages.howToBind(site) === prompt) ? "bind" : undefined;
}

/** Executes a command. Throws only unexpected errors; expected errors become replies. */
export async function replyToOwn(
  deps: BotDeps,
  { rest, person, ...question }: { rest: string; person: TelegramPerson; private: boolean },
  command: OwnCommand,
): Promise<BotMessage> {
  const user = await linkedUser(deps.db, person.id);
  const messages = messagesFor(deps, user);
  if (!question.private) return { text: messages.inPrivate };
  if (command === "bind") return bind(deps, messages, person, rest);
  if (user === undefined) return { text: messages.notBound };
  switch (command) {
    case "unbind":
      await unlink(deps.db, actorOf(user));
      return { text: messages.unbound };
    case "balance":
      return { text: await balanceText(deps, messages, user.id) };
    case "recharge":
      return recharge(deps, messages, { user, person, code: rest });
    case "apikey":
      return keysPage(deps, user, 1);
    case "aff":
      return { text: invitation(deps, messages, user) };
  }
}

async function balanceText(deps: BotDeps, messages: BotMessages, id: number): Promise<string> {
  await bookCharges(deps.db, id);
  const user = await deps.db.user.findUniqueOrThrow({ where: { id } });
  return messages.balance(amount(deps, user.quota), amount(deps, user.used_quota));
}

async function bind(
  deps: BotDeps,
  messages: BotMessages,
  person: TelegramPerson,
  code: string,
): Promise<BotMessage> {
  const site = deps.settings.current().SystemName;
  if (code === "") return prompt(messages.howToBind(site));
  try {
    const user = await linkByCode(deps.db, deps.secrets, person, code);
    return { text: user === undefined ? messages.wrongCode : messages.bound(user.username, site) };
  } catch (error) {
    if (error instanceof GatewayError && error.code === "conflict") return { text: messages.boundAlready };
    throw error;
  }
}

/**
 * Redeems a code. Attempts count for the Telegram account and for the linked account, so that linking another
 * account gives no new attempts. A correct code does not reset the counts: otherwise users could buy attempts
 * with their own codes.
 */
async function recharge(
  deps: BotDeps,
  messages: BotMessages,
  { user, person, code }: { user: User; person: TelegramPerson; code: string },
): Promise<BotMessage> {
  if (code === "") return prompt(messages.howToRecharge);
  const { db, secrets, settings } = deps;
  try {
    await takeAttempt(db, "telegram-recharge", `telegram:${person.id}`);
    await takeAttempt(db, "telegram-recharge", String(user.id));
    const { QuotaValidityDays: validityDays, QuotaPerUnit: pointsPerUsd } = settings.current();
    const points = await redeem(db, secrets, {
      userId: user.id,
      key: code,
      ip: actorOf(user).ip,
      validityDays,
      pointsPerUsd,
    });
    const { quota } = await db.user.findUniqueOrThrow({ where: { id: user.id }, select: { quota: true } });
    return { text: messages.recharged(amount(deps, points), amount(deps, quota)) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.code === "rate_limit_exceeded") return { text: messages.tooManyCodes };
    if (error.code === "conflict") return { text: messages.codeSpent };
    if (error.code === "not_found") return { text: messages.codeUnknown };
    throw error;
  }
}

function invitation(deps: BotDeps, messages: BotMessages, user: User): string {
  const site = publicUrlOf(deps.settings.current(), deps.root);
  const link = site === undefined ? undefined : `${site}/register?aff=${encodeURIComponent(user.aff_code)}`;
  return messages.invitation({
    code: user.aff_code,
    link,
    invited: user.aff_count,
    earned: amount(deps, user.aff_quota),
  });
}

/**
 * Returns a prompt for which Telegram opens a reply field, so that the code can be sent without the command.
 */
function prompt(text: string): BotMessage {
  return { text, markup: { force_reply: true } };
}

function amount({ settings }: BotDeps, points: bigint): string {
  return amountText(Number(points), settings.current());
}
