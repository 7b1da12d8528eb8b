import { z } from "zod";
import { because } from "#errors/issue.ts";
import { Page, PageQuery, UnixTime } from "#paging.ts";
import { ReasonFacts } from "#reasons.ts";

/** How Telegram reads the marks in a text. */
export const parseModes = ["MarkdownV2", "Markdown", "HTML"] as const;

/** Commands the bot answers itself; no menu entry can have one of these names. */
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

/** Telegram takes 100 commands at most; the bot's own are among them. */
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

/** POST /api/option/telegram: with an id it changes that one; 0 or none makes a new one. */
export const TelegramMenuInput = z.object({
  id: Id.or(z.literal(0)).default(0),
  /** Without the slash. */
  command,
  description: z.string().trim().min(1, because("description_required")).max(255),
  /** Older tools write "html". */
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

/** `keyword` is an id or how a command begins. */
export const TelegramMenuQuery = PageQuery.extend({ keyword: z.string().trim().max(64).default("") });
export type TelegramMenuQuery = z.infer<typeof TelegramMenuQuery>;

/** GET /api/option/telegram/status: as Telegram sees it now. */
export const TelegramStatus = z.object({
  /** There is a token, and Telegram knows it. */
  status: z.boolean(),
  /** What people write arrives here. */
  is_webhook: z.boolean(),
  /** There is a token. */
  configured: z.boolean(),
  /** Without the @. */
  username: z.string(),
  /** Why it does not work, in Telegram's words or ours; "" = nothing is known. */
  problem: z.string(),
  problem_facts: ReasonFacts,
});
export type TelegramStatus = z.infer<typeof TelegramStatus>;

/** GET /api/user/self/telegram: the own Telegram account; null while none is linked. */
export const TelegramLink = z.object({ label: z.string(), created_time: UnixTime }).nullable();
export type TelegramLink = z.infer<typeof TelegramLink>;

/** POST /api/user/self/telegram: what to send to the bot. */
export const TelegramCode = z.object({ code: z.string(), minutes: z.int() });
export type TelegramCode = z.infer<typeof TelegramCode>;
