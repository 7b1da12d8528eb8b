import { z } from "zod";
import { keysPage, keysPageOf } from "./api-keys.ts";
import { botWords } from "./bot-words.ts";
import { answerButton, type BotMessage, type BotRoom, editText, sendText } from "./bot.ts";
import { isOwnCommand, promptedCommand, replyToOwn } from "./commands.ts";
import { linkedUser, type TelegramPerson } from "./link.ts";
import { findMenu, offeredMenus } from "./menus.ts";
import { wordsFor } from "./words-for.ts";

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
export async function answerUpdate(room: BotRoom, update: unknown): Promise<void> {
  const found = Update.safeParse(update).data;
  if (found === undefined) return;
  await ("message" in found ? answerMessage(room, found.message) : answerPress(room, found.callback_query));
}

async function answerMessage(room: BotRoom, message: z.output<typeof Message>): Promise<void> {
  if (message.from.is_bot) return;
  const question = questionOf(room, message);
  // Among many people not every word is meant for the bot.
  if (question === undefined || (question.command === "" && !question.private)) return;
  if (await isTooFast(room, message.from.id)) return;
  const reply = await replyTo(room, question);
  if (reply !== undefined) await sendText(room, message.chat.id, reply);
}

/** Only lists of keys have buttons, and lists are sent in private chats only. */
async function answerPress(
  room: BotRoom,
  { id, from, message, data }: z.output<typeof Button>,
): Promise<void> {
  if (from.is_bot || (await isTooFast(room, from.id))) return;
  await answerButton(room, id);
  const page = keysPageOf(data);
  if (page === undefined || message.chat.type !== "private") return;
  const user = await linkedUser(room.db, from.id);
  const reply =
    user === undefined ? { text: wordsFor(room, user).notBound } : await keysPage(room, user, page);
  await editText(room, { chat: message.chat.id, message: message.message_id }, reply);
}

async function isTooFast({ requestCounts }: BotRoom, person: number): Promise<boolean> {
  const { current } = await requestCounts.add(`telegram:${person}`, PERSON_LIMIT);
  return current > PERSON_LIMIT.max;
}

/** Undefined when it is meant for another bot. */
function questionOf(room: BotRoom, message: z.output<typeof Message>): Question | undefined {
  const { TelegramBotUsername, SystemName } = room.settings.current();
  const { chat, from, reply_to_message: prompt } = message;
  const text = message.text.trim();
  const [, command = "", bot = "", rest = ""] = /^\/(\w+)(?:@(\w+))?(?:\s+([^]*))?$/.exec(text) ?? [];
  if (bot !== "" && bot.toLowerCase() !== TelegramBotUsername.toLowerCase()) return undefined;
  const label = from.username === undefined ? from.first_name : `@${from.username}`;
  const asked = { person: { id: from.id, label }, private: chat.type === "private" };
  const prompted =
    command === "" && prompt?.from.is_bot === true ? promptedCommand(prompt.text, SystemName) : undefined;
  return prompted === undefined
    ? { ...asked, command: command.toLowerCase(), rest: rest.trim() }
    : { ...asked, command: prompted, rest: text };
}

async function replyTo(room: BotRoom, question: Question): Promise<BotMessage | undefined> {
  const { command, rest } = question;
  if (isOwnCommand(command)) return replyToOwn(room, question, command);
  // A link to the bot can carry the code of `/bind` along.
  if (command === "start" && rest !== "") return replyToOwn(room, question, "bind");
  if (command === "start" || command === "help") return { text: await help(room) };
  const menu = command === "" ? null : await findMenu(room.db, command);
  if (menu !== null) return { text: menu.reply_message, mode: menu.parse_mode };
  return question.private ? { text: await help(room) } : undefined;
}

async function help({ db, settings }: BotRoom): Promise<string> {
  const { Language, SystemName } = settings.current();
  const words = botWords[Language];
  const given = (await offeredMenus(db)).map((menu) => [menu.command, menu.description]);
  const lines = [...given, ...Object.entries(words.commands)].map(([name, what]) => `/${name} – ${what}`);
  return `${words.welcome(SystemName)}\n\n${lines.join("\n")}`.slice(0, 4_096);
}
