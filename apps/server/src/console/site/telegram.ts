import { OptionalProof } from "@gateway/shared/accounts/profile";
import { Nothing } from "@gateway/shared/envelope";
import {
  TelegramCode,
  TelegramLink,
  TelegramMenuInput,
  TelegramMenuPage,
  TelegramMenuQuery,
  TelegramMenuRow,
  TelegramStatus,
} from "@gateway/shared/site/telegram";
import { z } from "zod";
import { GUESS_LIMIT } from "#console/accounts/accounts.ts";
import { proveOwner } from "#console/accounts/proof.ts";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { answerUpdate } from "#domain/telegram/answer.ts";
import { botName, botStatus, isFromTelegram, registerBot } from "#domain/telegram/bot.ts";
import { findLink, issueLinkCode, LINK_MINUTES, unlink } from "#domain/telegram/link.ts";
import { deleteMenu, getMenu, listMenus, saveMenu } from "#domain/telegram/menus.ts";
import { GatewayError, invalidRequest, notFound } from "#errors.ts";
import { unixTime } from "#platform/clock.ts";

const sortable = ["id", "command", "description", "parse_mode"] as const;
/** Requests of one address in three minutes. Each one calls Telegram. */
const ASKING_LIMIT = { max: 60, timeWindow: 180_000 };
/** All users' messages come from the few addresses of Telegram. */
const UPDATE_LIMIT = { max: 6_000, timeWindow: 180_000 };

/**
 * Routes of the Telegram bot: its commands for administrators, its link for every account, and the webhook to
 * which Telegram sends updates.
 * @param root the base path: "" or "/gateway"
 */
export function telegramRoutes(app: ConsoleApp, services: Services, root: string): void {
  const { db } = services;
  const bot = { ...services, root };
  const config = { access: "admin", permission: "telegram" } as const;
  const asking = { ...config, rateLimit: ASKING_LIMIT };
  const row = answers(TelegramMenuRow);

  app.get(
    "/option/telegram",
    {
      config,
      schema: {
        summary: "List the commands of the Telegram bot",
        querystring: TelegramMenuQuery,
        response: answers(TelegramMenuPage),
      },
    },
    async ({ query }) => {
      const { rows, total } = await listMenus(db, { keyword: query.keyword, ...sliceOf(query, sortable) });
      return ok(pageOf(query, rows, total));
    },
  );

  app.get(
    "/option/telegram/:id",
    { config, schema: { summary: "Get a command of the Telegram bot", params: IdParams, response: row } },
    async (request) => ok(await getMenu(db, request.params.id)),
  );

  app.post(
    "/option/telegram",
    {
      config,
      schema: {
        summary: "Create or change a command of the Telegram bot",
        body: TelegramMenuInput,
        response: row,
      },
    },
    async (request) => ok(await saveMenu(db, viewerOf(request), request.body)),
  );

  app.delete(
    "/option/telegram/:id",
    {
      config,
      schema: {
        summary: "Delete a command of the Telegram bot",
        params: IdParams,
        response: answers(Nothing),
      },
    },
    async (request) => {
      await deleteMenu(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );

  app.get(
    "/option/telegram/status",
    {
      config: asking,
      schema: { summary: "Get the state of the Telegram bot", response: answers(TelegramStatus) },
    },
    async () => ok(await botStatus(bot)),
  );

  app.put(
    "/option/telegram/reload",
    { config: asking, schema: { summary: "Reload the Telegram bot", response: answers(TelegramStatus) } },
    async (request) => {
      await registerBot(bot, viewerOf(request));
      return ok(await botStatus(bot));
    },
  );

  ownTelegramRoutes(app, services);
  telegramUpdates(app, bot);
}

/** Routes for the caller's link with the bot. */
function ownTelegramRoutes(app: ConsoleApp, services: Services): void {
  const { db, secrets, settings } = services;
  const own = { access: "user" } as const;

  app.get(
    "/user/self/telegram",
    {
      config: own,
      schema: { summary: "Get your link with the Telegram bot", response: answers(TelegramLink) },
    },
    async (request) => {
      const link = await findLink(db, viewerOf(request).id);
      return ok(link === null ? null : { label: link.label, created_time: unixTime(link.created_time) });
    },
  );

  app.post(
    "/user/self/telegram",
    {
      config: { ...own, rateLimit: GUESS_LIMIT },
      schema: {
        summary: "Start to link your account with the Telegram bot",
        body: OptionalProof,
        response: answers(TelegramCode),
      },
    },
    async (request) => {
      if (botName(settings.current()) === "") throw invalidRequest({ reason: "bot_missing" });
      const { id } = await proveOwner(services, request, request.body);
      const code = await issueLinkCode(db, secrets, id);
      return ok({ code, minutes: LINK_MINUTES });
    },
  );

  app.delete(
    "/user/self/telegram",
    {
      config: own,
      schema: { summary: "Remove your link with the Telegram bot", response: answers(Nothing) },
    },
    async (request) => {
      await unlink(db, viewerOf(request));
      return ok(null);
    },
  );
}

/** The webhook of Telegram. */
function telegramUpdates(app: ConsoleApp, bot: Services & { root: string }): void {
  app.post(
    "/telegram/:secret",
    {
      config: { access: "anyone", rateLimit: UPDATE_LIMIT },
      schema: {
        summary: "Receive an update from Telegram",
        params: z.object({ secret: z.string().max(128) }),
        body: z.unknown(),
        response: answers(Nothing),
      },
    },
    async (request) => {
      const header = request.headers["x-telegram-bot-api-secret-token"];
      const presented = { path: request.params.secret, header: typeof header === "string" ? header : "" };
      if (!isFromTelegram(bot, presented)) throw notFound({ reason: "page_not_found" });
      try {
        await answerUpdate(bot, request.body);
      } catch (error) {
        // A reply that fails is lost: if Telegram repeated the update, it would delay the messages of all
        // users.
        if (!(error instanceof GatewayError)) throw error;
        request.log.warn({ err: error }, "the Telegram bot could not answer");
      }
      return ok(null);
    },
  );
}
