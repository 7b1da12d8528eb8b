import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Page, PageQuery, UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** Telegram's modes for formatting a text. */
export const parseModes = ["MarkdownV2", "Markdown", "HTML"] as const;

/** Built-in commands of the bot. Menu entries cannot use these names. */
export const ownCommands = [
  "start",
  "help",
  "bind",
  "unbind",
  "balance",
  "recharge",
  "apikey",
  "aff",
] as const;

/** Telegram allows 100 commands, including the built-in ones. */
export const MOST_MENUS = 90;

const Id = z.int().min(1).max(2_147_483_647);

const command = z
  .string()
  .trim()
  .transform((text) => text.replace(/^\//, ""))
  .pipe(
    z
      .string()
      .min(1, because("command_required"))
      .regex(/^[a-z0-9_]{1,32}$/, because("command_characters"))
      .refine((name) => !ownCommands.some((own) => own === name), because("command_built_in")),
  );

/** Body of POST /api/option/telegram. An id changes that entry; 0 or none creates one. */
export const TelegramMenuInput = z.object({
  id: Id.or(z.literal(0)).default(0),
  /** Without the slash. */
  command,
  description: z.string().trim().min(1, because("description_required")).max(255),
  /** Older tools send "html". */
  parse_mode: z.preprocess(
    (mode) => (mode === "html" ? "HTML" : mode),
    z.enum(parseModes, because("message_type_required")),
  ),
  reply_message: z.string().trim().min(1, because("reply_required")).max(4_096),
});
export type TelegramMenuInput = z.infer<typeof TelegramMenuInput>;

export const TelegramMenuRow = z.object({
  id: z.int(),
  command: z.string(),
  description: z.string(),
  parse_mode: z.string(),
  reply_message: z.string(),
});
export type TelegramMenuRow = z.infer<typeof TelegramMenuRow>;
export const TelegramMenuPage = Page(TelegramMenuRow);
export type TelegramMenuPage = z.infer<typeof TelegramMenuPage>;

/** `keyword` is an id or the prefix of a command. */
export const TelegramMenuQuery = PageQuery.extend({ keyword: z.string().trim().max(64).default("") });
export type TelegramMenuQuery = z.infer<typeof TelegramMenuQuery>;

/** GET /api/option/telegram/status: the state as reported by Telegram. */
export const TelegramStatus = z.object({
  /** A token is set and Telegram accepts it. */
  status: z.boolean(),
  /** Telegram sends messages to this server's webhook. */
  is_webhook: z.boolean(),
  /** A token is set. */
  configured: z.boolean(),
  /** Without the @. */
  username: z.string(),
  /** The problem, from Telegram or the gateway; "" = none is known. */
  problem: z.string(),
  problem_facts: ReasonFacts,
});
export type TelegramStatus = z.infer<typeof TelegramStatus>;

/** GET /api/user/self/telegram: the user's Telegram account; null while none is linked. */
export const TelegramLink = z.object({ label: z.string(), created_time: UnixTime }).nullable();
export type TelegramLink = z.infer<typeof TelegramLink>;

/** Response of POST /api/user/self/telegram: the code to send to the bot. */
export const TelegramCode = z.object({ code: z.string(), minutes: z.int() });
export type TelegramCode = z.infer<typeof TelegramCode>;
