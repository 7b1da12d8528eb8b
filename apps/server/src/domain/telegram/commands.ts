import { takeAttempt } from "#domain/accounts/attempts.ts";
import { redeem } from "#domain/credits/redemptions.ts";
import { amountText } from "#domain/notices/collect.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import { GatewayError } from "#errors.ts";
import type { User } from "#platform/prisma/client.ts";
import { keysPage } from "./api-keys.ts";
import { type BotWords, botWords } from "./bot-words.ts";
import type { BotMessage, BotRoom } from "./bot.ts";
import { actorOf, linkByCode, linkedUser, type TelegramPerson, unlink } from "./link.ts";
import { wordsFor } from "./words-for.ts";

/** The commands that concern the sender's own account. Each is answered in a private chat only. */

type OwnCommand = keyof BotWords["commands"];

export function isOwnCommand(command: string): command is OwnCommand {
  return Object.hasOwn(botWords.en_US.commands, command);
}

/**
 * Which command a person answers who replies to a prompt of the bot, in whatever language it was written: what they
 * write is the code it asked for.
 */
export function promptedCommand(prompt: string, site: string): "bind" | "recharge" | undefined {
  const all = Object.values(botWords);
  if (all.some((words) => words.howToRecharge === prompt)) return "recharge";
  return all.some((words) => words.howToBind(site) === prompt) ? "bind" : undefined;
}

/** Throws what the database throws; every refusal is an answer. */
export async function replyToOwn(
  room: BotRoom,
  { rest, person, ...question }: { rest: string; person: TelegramPerson; private: boolean },
  command: OwnCommand,
): Promise<BotMessage> {
  const user = await linkedUser(room.db, person.id);
  const words = wordsFor(room, user);
  if (!question.private) return { text: words.inPrivate };
  if (command === "bind") return bind(room, words, person, rest);
  if (user === undefined) return { text: words.notBound };
  switch (command) {
    case "unbind":
      await unlink(room.db, actorOf(user));
      return { text: words.unbound };
    case "balance":
      return { text: words.balance(amount(room, user.quota), amount(room, user.used_quota)) };
    case "recharge":
      return recharge(room, words, { user, person, code: rest });
    case "apikey":
      return keysPage(room, user, 1);
    case "aff":
      return { text: invitation(room, words, user) };
  }
}

async function bind(
  room: BotRoom,
  words: BotWords,
  person: TelegramPerson,
  code: string,
): Promise<BotMessage> {
  const site = room.settings.current().SystemName;
  if (code === "") return prompt(words.howToBind(site));
  try {
    const user = await linkByCode(room.db, room.secrets, person, code);
    return { text: user === undefined ? words.wrongCode : words.bound(user.username, site) };
  } catch (error) {
    if (error instanceof GatewayError && error.code === "conflict") return { text: words.boundAlready };
    throw error;
  }
}

/**
 * Redeems a code. Tries are counted for the Telegram account and for the linked account, so that linking another one
 * brings no new tries. A right code does not reset the counts: codes of one's own would buy guesses.
 */
async function recharge(
  room: BotRoom,
  words: BotWords,
  { user, person, code }: { user: User; person: TelegramPerson; code: string },
): Promise<BotMessage> {
  if (code === "") return prompt(words.howToRecharge);
  const { db, secrets, settings } = room;
  try {
    await takeAttempt(db, "telegram-recharge", `telegram:${person.id}`);
    await takeAttempt(db, "telegram-recharge", String(user.id));
    const validityDays = settings.current().QuotaValidityDays;
    const points = await redeem(db, secrets, {
      userId: user.id,
      key: code,
      ip: actorOf(user).ip,
      validityDays,
    });
    const { quota } = await db.user.findUniqueOrThrow({ where: { id: user.id }, select: { quota: true } });
    return { text: words.recharged(amount(room, points), amount(room, quota)) };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    if (error.code === "rate_limited") return { text: words.tooManyCodes };
    if (error.code === "conflict") return { text: words.codeSpent };
    if (error.code === "not_found") return { text: words.codeUnknown };
    throw error;
  }
}

function invitation(room: BotRoom, words: BotWords, user: User): string {
  const site = publicUrlOf(room.settings.current(), room.root);
  const link = site === undefined ? undefined : `${site}/register?aff=${encodeURIComponent(user.aff_code)}`;
  return words.invitation({
    code: user.aff_code,
    link,
    invited: user.aff_count,
    earned: amount(room, user.aff_quota),
  });
}

/** Telegram opens the field of a reply below it, so that the code can be sent without the command. */
function prompt(text: string): BotMessage {
  return { text, markup: { force_reply: true } };
}

function amount({ settings }: BotRoom, points: bigint): string {
  return amountText(Number(points), settings.current());
}
