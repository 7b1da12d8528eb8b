import { z } from "zod";
import { amountText } from "#domain/notices/collect.ts";
import { GatewayError } from "#errors.ts";
import { languageOf } from "#notices/language.ts";
import type { User } from "#platform/prisma/client.ts";
import { botWords } from "./bot-words.ts";
import { type BotRoom, sendText } from "./bot.ts";
import { actorOf, linkByCode, linkedUser, type TelegramPerson, unlink } from "./link.ts";
import { allMenus, findMenu } from "./menus.ts";

/** What the bot answers to what people write. Who they are here is known by their id there, never by a name. */

const Update = z.object({
  message: z.object({
    chat: z.object({ id: z.int(), type: z.string() }),
    from: z.object({
      id: z.int(),
      is_bot: z.boolean().default(false),
      username: z.string().optional(),
      first_name: z.string().catch(""),
    }),
    text: z.string(),
  }),
});

interface Question {
  /** Without the slash; "" when it is no command. */
  command: string;
  /** What follows it. */
  rest: string;
  person: TelegramPerson;
  /** Only this person reads the answer. */
  private: boolean;
}

interface Reply {
  text: string;
  mode?: string;
}

/** Answers an update, or nobody: updates that are no text of a person's are left alone. Throws `upstream_failed`. */
export async function answerUpdate(room: BotRoom, update: unknown): Promise<void> {
  const message = Update.safeParse(update).data?.message;
  if (message === undefined || message.from.is_bot) return;
  const question = questionOf(message, room.settings.current().TelegramBotUsername);
  if (question === undefined) return;
  const reply = await replyTo(room, question);
  if (reply !== undefined) await sendText(room, message.chat.id, reply);
}

/** Undefined when it is meant for another bot. */
function questionOf(
  { chat, from, text }: z.output<typeof Update>["message"],
  botUsername: string,
): Question | undefined {
  const [, command = "", bot = "", rest = ""] = /^\/(\w+)(?:@(\w+))?(?:\s+([^]*))?$/.exec(text.trim()) ?? [];
  if (bot !== "" && bot.toLowerCase() !== botUsername.toLowerCase()) return undefined;
  const label = from.username === undefined ? from.first_name : `@${from.username}`;
  return {
    command: command.toLowerCase(),
    rest: rest.trim(),
    person: { id: from.id, label },
    private: chat.type === "private",
  };
}

async function replyTo(room: BotRoom, question: Question): Promise<Reply | undefined> {
  const { command, rest } = question;
  switch (command) {
    case "bind":
    case "unbind":
    case "balance":
      return { text: await personalReply(room, question, command) };
    case "start":
      // A link to the bot can carry the code along.
      return { text: rest === "" ? await help(room) : await personalReply(room, question, "bind") };
    case "help":
      return { text: await help(room) };
  }
  const menu = command === "" ? null : await findMenu(room.db, command);
  if (menu !== null) return { text: menu.reply_message, mode: menu.parse_mode };
  // Among many people not every word is meant for the bot.
  return question.private ? { text: await help(room) } : undefined;
}

async function help({ db, settings }: BotRoom): Promise<string> {
  const { Language, SystemName } = settings.current();
  const words = botWords[Language];
  const given = (await allMenus(db)).map((menu) => [menu.command, menu.description]);
  const lines = [...given, ...Object.entries(words.commands)].map(([name, what]) => `/${name} – ${what}`);
  return `${words.welcome(SystemName)}\n\n${lines.join("\n")}`.slice(0, 4_096);
}

async function personalReply(
  { db, secrets, settings }: BotRoom,
  { rest, person, ...question }: Question,
  command: "bind" | "unbind" | "balance",
): Promise<string> {
  const current = settings.current();
  const site = current.SystemName;
  const linked = await linkedUser(db, person.id);
  const words = botWords[languageOf(linked?.language ?? "", current.Language)];
  if (!question.private) return words.inPrivate;
  if (command === "bind") {
    if (rest === "") return words.howToBind(site);
    const user = await link();
    return typeof user === "string" ? user : words.bound(user.username, site);
  }
  if (linked === undefined) return words.notBound;
  if (command === "balance") {
    const amount = (points: bigint) => amountText(Number(points), current);
    return words.balance(amount(linked.quota), amount(linked.used_quota));
  }
  await unlink(db, actorOf(linked));
  return words.unbound;

  async function link(): Promise<User | string> {
    try {
      return (await linkByCode(db, secrets, person, rest)) ?? words.wrongCode;
    } catch (error) {
      if (error instanceof GatewayError && error.code === "conflict") return words.boundAlready;
      throw error;
    }
  }
}
