import type { Settings } from "@gateway/shared/site/settings";
import type { TelegramStatus } from "@gateway/shared/site/telegram";
import { trimEndOf } from "@gateway/shared/trim-end";
import { z } from "zod";
import type { Actor } from "#domain/audit-log/audit.ts";
import type { RequestCounts } from "#domain/limits/request-counts.ts";
import { publicUrlOf } from "#domain/settings/public-url.ts";
import type { SettingsStore } from "#domain/settings/settings.ts";
import { GatewayError, invalidRequest, reasonOfError, upstreamFailed } from "#errors.ts";
import type { postToPublic } from "#platform/http/public-fetch.ts";
import type { PrismaClient } from "#platform/prisma/client.ts";
import { sameSecret, type Secrets } from "#platform/secrets.ts";
import { botMessages } from "./bot-messages.ts";
import { offeredMenus } from "./menus.ts";

/**
 * Client of the Telegram Bot API: registers the bot and sends its messages. It does not process incoming
 * messages. Every URL contains the token, so a URL must never appear in an error.
 */
export interface BotDeps {
  db: PrismaClient;
  secrets: Secrets;
  settings: SettingsStore;
  post: typeof postToPublic;
  requestCounts: RequestCounts;
  /** The base path: "" or "/gateway". */
  root: string;
}

/** A message of the bot: its text, parse mode and markup. */
export interface BotMessage {
  text: string;
  /** Telegram's parse mode; undefined means plain text. */
  mode?: string;
  /** https://core.telegram.org/bots/api#sendmessage, `reply_markup` */
  markup?: object;
}

const Answer = z.object({
  ok: z.boolean(),
  description: z.string().catch(""),
  result: z.unknown().optional(),
});
const Me = z.object({ username: z.string() });
const Webhook = z.object({ url: z.string(), last_error_message: z.string().optional() });

/** Calls a method of the Bot API. Throws `upstream_failed` with Telegram's description. */
async function callBot({ settings, post }: BotDeps, method: string, body: object): Promise<unknown> {
  const { TelegramBotServer: server, TelegramBotToken: token } = settings.current();
  const url = `${trimEndOf(server, "/")}/bot${token}/${method}`;
  let text: string;
  try {
    // Only root configures the server, and a self-hosted Bot API server may be in the private network.
    ({ text } = await post(url, JSON.stringify(body), {}, { mayReach: () => true }));
  } catch (error) {
    throw upstreamFailed({ reason: "telegram_unreachable" }, { cause: error });
  }
  const answer = Answer.safeParse(parseJson(text)).data;
  if (answer === undefined) throw upstreamFailed({ reason: "telegram_unreadable" });
  if (!answer.ok) throw refusalError(answer.description);
  return answer.result;
}

/** Sends a text to a chat. If Telegram cannot parse its markup, the text is sent as plain text. */
export async function sendText(deps: BotDeps, chat: number, message: BotMessage): Promise<void> {
  await callWithText(deps, "sendMessage", { chat_id: chat }, message);
}

/**
 * Replaces the text of an earlier message of the bot. Telegram rejects an unchanged text; this is not an
 * error.
 */
export async function editText(
  deps: BotDeps,
  place: { chat: number; message: number },
  message: BotMessage,
): Promise<void> {
  try {
    await callWithText(deps, "editMessageText", { chat_id: place.chat, message_id: place.message }, message);
  } catch (error) {
    if (!refusedWith(error, /message is not modified/i)) throw error;
  }
}

/** Ends the loading indicator of a pressed button. */
export async function answerButton(deps: BotDeps, id: string): Promise<void> {
  await callBot(deps, "answerCallbackQuery", { callback_query_id: id });
}

async function callWithText(
  deps: BotDeps,
  method: string,
  place: object,
  { text, mode, markup }: BotMessage,
): Promise<void> {
  const plain = {
    ...place,
    text,
    link_preview_options: { is_disabled: true },
    ...(markup === undefined ? {} : { reply_markup: markup }),
  };
  if (mode === undefined) {
    await callBot(deps, method, plain);
    return;
  }
  try {
    await callBot(deps, method, { ...plain, parse_mode: mode });
  } catch (error) {
    if (!refusedWith(error, /can't parse entities/i)) throw error;
    await callBot(deps, method, plain);
  }
}

/** Returns whether Telegram rejected the call with this description. Telegram has no error codes for this. */
function refusedWith(error: unknown, description: RegExp): boolean {
  return error instanceof GatewayError && description.test(String(error.params["detail"]));
}

/**
 * Registers the commands with Telegram and, if the site's address is configured, the webhook. Throws
 * `invalid_request` without a token, and `upstream_failed` with Telegram's description.
 */
export async function registerBot(deps: BotDeps, actor: Actor): Promise<void> {
  const current = deps.settings.current();
  if (current.TelegramBotToken === "") throw invalidRequest({ reason: "bot_token_missing" });
  const { username } = readAs(Me, await callBot(deps, "getMe", {}));
  const messages = botMessages[current.Language];
  const own = Object.entries(messages.commands).map(([command, description]) => ({ command, description }));
  const menus = await offeredMenus(deps.db);
  const given = menus.map(({ command, description }) => ({ command, description }));
  await callBot(deps, "setMyCommands", { commands: [...given, ...own] });
  const url = webhookUrl(deps);
  if (url !== "") {
    await callBot(deps, "setWebhook", {
      url,
      secret_token: secretOf(deps, "header"),
      allowed_updates: ["message", "callback_query"],
    });
  }
  if (username !== current.TelegramBotUsername) {
    await deps.settings.set(actor, "TelegramBotUsername", username);
  }
}

/** Returns the status of the bot at Telegram. A failed call is reported as a problem, not thrown. */
export async function botStatus(deps: BotDeps): Promise<TelegramStatus> {
  const unknown = {
    status: false,
    is_webhook: false,
    configured: true,
    username: "",
    problem: "",
    problem_facts: [],
  };
  if (deps.settings.current().TelegramBotToken === "") return { ...unknown, configured: false };
  try {
    const [me, webhook] = await Promise.all([
      callBot(deps, "getMe", {}).then((result) => readAs(Me, result)),
      callBot(deps, "getWebhookInfo", {}).then((result) => readAs(Webhook, result)),
    ]);
    const expected = webhookUrl(deps);
    return {
      status: true,
      is_webhook: expected !== "" && webhook.url === expected,
      configured: true,
      username: me.username,
      problem: webhook.last_error_message ?? "",
      problem_facts: [],
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { text, facts } = reasonOfError(error);
    return { ...unknown, problem: text, problem_facts: facts };
  }
}

/**
 * Returns whether an update comes from Telegram. Both secrets are derived from the token, so a new token
 * replaces them.
 */
export function isFromTelegram(deps: BotDeps, presented: { path: string; header: string }): boolean {
  if (deps.settings.current().TelegramBotToken === "") return false;
  const path = sameText(presented.path, secretOf(deps, "path"));
  const header = sameText(presented.header, secretOf(deps, "header"));
  return path && header;
}

/**
 * Returns the user name of the bot. "" means that users cannot link accounts: there is no bot, or it is not
 * registered.
 */
export function botName(settings: Settings): string {
  return settings.TelegramBotToken === "" ? "" : settings.TelegramBotUsername;
}

function webhookUrl(deps: BotDeps): string {
  const site = publicUrlOf(deps.settings.current(), deps.root);
  return site === undefined ? "" : `${site}/api/telegram/${secretOf(deps, "path")}`;
}

function secretOf({ secrets, settings }: BotDeps, use: "path" | "header"): string {
  const { TelegramBotToken } = settings.current();
  return Buffer.from(secrets.hash(`telegram:${use}:${TelegramBotToken}`)).toString("hex");
}

function sameText(left: string, right: string): boolean {
  return sameSecret(new TextEncoder().encode(left), new TextEncoder().encode(right));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readAs<T extends z.ZodType>(schema: T, result: unknown): z.output<T> {
  const found = schema.safeParse(result);
  if (!found.success) throw upstreamFailed({ reason: "telegram_unreadable" });
  return found.data;
}

function refusalError(description: string | undefined): GatewayError {
  if (!description) return upstreamFailed({ reason: "telegram_refused_silently" });
  return upstreamFailed({ reason: "telegram_refused", detail: description.replace(/\.$/, "") });
}
