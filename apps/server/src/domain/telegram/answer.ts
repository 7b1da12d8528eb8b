/** Replies of the bot to messages and buttons. A user is identified by the Telegram id, never by a name. */
import { z } from "zod";
import { keysPage, keysPageOf } from "./api-keys.ts";
import { botMessages } from "./bot-messages.ts";
import { answerButton, type BotMessage, type BotDeps, editText, sendText } from "./bot.ts";
import { isOwnCommand, promptedCommand, replyToOwn } from "./commands.ts";
import { linkedUser, type TelegramPerson } from "./link.ts";
import { findMenu, offeredMenus } from "./menus.ts";
import { messagesFor } from "./messages-for.ts";

/** Maximum replies per user and window. Each reply costs a call to Telegram and a few database statements. */
const PERSON_LIMIT = { max: 30, windowMs: 60_000 };

const Chat = z.object({ id: z.int(), type: z.string() });
const From = z.object({
  id: z.int(),
  is_bot: z.boolean().default(false),
  username: z.string().optional(),
  first_name: z.string().catch(""),
});
const Message = z.object({
  chat: Chat,
  from: From,
  text: z.string(),
  /** The bot message that this message replies to. */
  reply_to_message: z
    .object({ from: z.object({ is_bot: z.boolean() }), text: z.string() })
    .optional()
    .catch(undefined),
});
const Button = z.object({
  id: z.string(),
  from: From,
  message: z.object({ message_id: z.int(), chat: Chat }),
  data: z.string(),
});
const Update = z.union([z.object({ message: Message }), z.object({ callback_query: Button })]);

interface Question {
  /** Command without the slash; "" if the message is no command. */
  command: string;
  /** Text after the command. */
  rest: string;
  person: TelegramPerson;
  /** Whether the chat is private. */
  private: boolean;
}

/**
 * Handles an update. Ignores everything except texts of users and buttons of this bot. Throws
 * `upstream_failed`.
 */
export async function answerUpdate(deps: BotDeps, update: unknown): Promise<void> {
  const found = Update.safeParse(update).data;
  if (found === undefined) return;
  await ("message" in found ? answerMessage(deps, found.message) : answerPress(deps, found.callback_query));
}

async function answerMessage(deps: BotDeps, message: z.output<typeof Message>): Promise<void> {
  if (message.from.is_bot) return;
  const question = questionOf(deps, message);
  // In a group, plain text is not meant for the bot.
  if (question === undefined || (question.command === "" && !question.private)) return;
  if (await isTooFast(deps, message.from.id)) return;
  const reply = await replyTo(deps, question);
  if (reply !== undefined) await sendText(deps, message.chat.id, reply);
}

/** Handles a button. Only lists of keys have buttons, and they are sent only in private chats. */
async function answerPress(
  deps: BotDeps,
  { id, from, message, data }: z.output<typeof Button>,
): Promise<void> {
  if (from.is_bot || (await isTooFast(deps, from.id))) return;
  await answerButton(deps, id);
  const page = keysPageOf(data);
  if (page === undefined || message.chat.type !== "private") return;
  const user = await linkedUser(deps.db, from.id);
  const reply =
    user === undefined ? { text: messagesFor(deps, user).notBound } : await keysPage(deps, user, page);
  await editText(deps, { chat: message.chat.id, message: message.message_id }, reply);
}

async function isTooFast({ requestCounts }: BotDeps, person: number): Promise<boolean> {
  const { current } = await requestCounts.add(`telegram:${person}`, PERSON_LIMIT);
  return current > PERSON_LIMIT.max;
}

/** Parses a message. Returns undefined if it is meant for another bot. */
function questionOf(deps: BotDeps, message: z.output<typeof Message>): Question | undefined {
  const { TelegramBotUsername, SystemName } = deps.settings.current();
  const { chat, from, reply_to_message: prompt } = message;
  const text = message.text.trim();
  const [, command = "", bot = "", rest = ""] = /^\/(\w+)(?:@(\w+))?(?:\s([^]*))?$/.exec(text) ?? [];
  if (bot !== "" && bot.toLowerCase() !== TelegramBotUsername.toLowerCase()) return undefined;
  const label = from.username === undefined ? from.first_name : `@${from.username}`;
  const requested = { person: { id: from.id, label }, private: chat.type === "private" };
  const prompted =
    command === "" && prompt?.from.is_bot === true ? promptedCommand(prompt.text, SystemName) : undefined;
  return prompted === undefined
    ? { ...requested, command: command.toLowerCase(), rest: rest.trim() }
    : { ...requested, command: prompted, rest: text };
}

async function replyTo(deps: BotDeps, question: Question): Promise<BotMessage | undefined> {
  const { command, rest } = question;
  if (isOwnCommand(command)) return replyToOwn(deps, question, command);
  // A link to the bot can contain the code of `/bind`.
  if (command === "start" && rest !== "") return replyToOwn(deps, question, "bind");
  if (command === "start" || command === "help") return { text: await help(deps) };
  const menu = command === "" ? null : await findMenu(deps.db, command);
  if (menu !== null) return { text: menu.reply_message, mode: menu.parse_mode };
  return question.private ? { text: await help(deps) } : undefined;
}

async function help({ db, settings }: BotDeps): Promise<string> {
  const { Language, SystemName } = settings.current();
  const messages = botMessages[Language];
  const given = (await offeredMenus(db)).map((menu) => [menu.command, menu.description]);
  const lines = [...given, ...Object.entries(messages.commands)].map(([name, what]) => `/${name} – ${what}`);
  return `${messages.welcome(SystemName)}\n\n${lines.join("\n")}`.slice(0, 4_096);
}
