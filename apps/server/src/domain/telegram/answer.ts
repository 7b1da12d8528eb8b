import { z } from "zod";
import { keysPage, keysPageOf } from "./api-keys.ts";
import { botMessages } from "./bot-messages.ts";
import { answerButton, type BotMessage, type BotDeps, editText, sendText } from "./bot.ts";
import { isOwnCommand, promptedCommand, replyToOwn } from "./commands.ts";
import { linkedUser, type TelegramPerson } from "./link.ts";
import { findMenu, offeredMenus } from "./menus.ts";
import { messagesFor } from "./messages-for.ts";

/** What the bot answers to what people write and press. A person is known by their Telegram id, never by a name. */

/** Answers that one person gets within the window; each is a call to Telegram and a few statements. */
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
  /** The message of the bot that this one replies to. */
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
  /** Without the slash; "" when it is no command. */
  command: string;
  /** What follows it. */
  rest: string;
  person: TelegramPerson;
  /** Only this person reads the answer. */
  private: boolean;
}

/** Answers an update. Ignores what is neither a person's text nor a button of ours. Throws `upstream_failed`. */
export async function answerUpdate(deps: BotDeps, update: unknown): Promise<void> {
  const found = Update.safeParse(update).data;
  if (found === undefined) return;
  await ("message" in found ? answerMessage(deps, found.message) : answerPress(deps, found.callback_query));
}

async function answerMessage(deps: BotDeps, message: z.output<typeof Message>): Promise<void> {
  if (message.from.is_bot) return;
  const question = questionOf(deps, message);
  // Among many people not every word is meant for the bot.
  if (question === undefined || (question.command === "" && !question.private)) return;
  if (await isTooFast(deps, message.from.id)) return;
  const reply = await replyTo(deps, question);
  if (reply !== undefined) await sendText(deps, message.chat.id, reply);
}

/** Only lists of keys have buttons, and lists are sent in private chats only. */
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

/** Undefined when it is meant for another bot. */
function questionOf(deps: BotDeps, message: z.output<typeof Message>): Question | undefined {
  const { TelegramBotUsername, SystemName } = deps.settings.current();
  const { chat, from, reply_to_message: prompt } = message;
  const text = message.text.trim();
  const [, command = "", bot = "", rest = ""] = /^\/(\w+)(?:@(\w+))?(?:\s+([^]*))?$/.exec(text) ?? [];
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
  // A link to the bot can carry the code of `/bind` along.
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
