/**
 * Routes that tools for older gateways of this kind call and our own console does not. They only translate
 * formats: the work is done by the functions behind the console's own routes. A GET that changes something
 * declares it in its `config`.
 */
import { ChannelRunInput } from "@gateway/shared/channels/channel-run";
import { Envelope } from "@gateway/shared/envelope";
import { z } from "zod";
import { GUESS_LIMIT } from "#console/accounts/accounts.ts";
import { sessionIdOf, tokenOf } from "#console/accounts/session.ts";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { findGroup } from "#domain/accounts/groups/groups.ts";
import { renewAccessToken } from "#domain/accounts/profile.ts";
import { isRecent, RECENT_MINUTES } from "#domain/accounts/sign-in/proof.ts";
import { findByAccessToken, getUser } from "#domain/accounts/users.ts";
import { namesWithOwners } from "#domain/catalog/catalog.ts";
import { refreshBalance, testStoredChannel } from "#domain/channels/runs/check-channel.ts";
import { lastMinute } from "#domain/usage/last-minute.ts";
import { GatewayError, notFound } from "#errors.ts";

/** OpenAI's field requires a date. The lists of all gateways of this kind contain this one. */
const CREATED = 1_677_649_963;

const ModelEntry = z.object({
  id: z.string(),
  object: z.literal("model"),
  created: z.int(),
  owned_by: z.string(),
});

/** In camel case, as those tools read it. The limit counts requests; there is none for tokens. */
const Rate = z.object({
  rpm: z.int(),
  maxRPM: z.int(),
  usageRpmRate: z.number(),
  tpm: z.int(),
  maxTPM: z.int(),
  usageTpmRate: z.number(),
});

/** The latest lines of this process's log, newest last. */
const LogRequest = z.object({ count: z.int().min(1, "count must be greater than 0") });
const LogLine = z.object({ Timestamp: z.string(), Level: z.string(), Message: z.string() });

export function registerOneHubPaths(app: ConsoleApp, services: Services): void {
  const { db } = services;
  const channels = { access: "admin", permission: "channels" } as const;
  const changing = { ...channels, level: "edit", checksOrigin: true } as const;

  app.get(
    "/channel/models",
    {
      config: channels,
      schema: {
        summary: "List the models that channels offer",
        response: {
          ...answers(z.array(ModelEntry)),
          200: Envelope(z.array(ModelEntry)).extend({ object: z.literal("list") }),
        },
      },
    },
    async () => {
      const models = await namesWithOwners(db);
      const data = models.map(({ name, owner }) => ({
        id: name,
        object: "model" as const,
        created: CREATED,
        owned_by: owner,
      }));
      return { ...ok(data), object: "list" as const };
    },
  );

  const tested = {
    ...answers(z.null()),
    200: z.object({ success: z.boolean(), message: z.string(), time: z.number() }),
  };
  app.get(
    "/channel/test/:id",
    {
      config: changing,
      schema: {
        summary: "Test a channel",
        params: IdParams,
        querystring: z.object({ model: z.string().trim().max(160).default("") }),
        response: tested,
      },
    },
    async (request) => {
      const {
        ok: success,
        message,
        duration,
      } = await testStoredChannel(services, request.params.id, request.query.model);
      return { success, message, time: duration / 1_000 };
    },
  );

  for (const [path, kind, summary] of [
    ["/channel/test", "test", "Start a test of all channels"],
    ["/channel/update_balance", "balance", "Start a balance check of all channels"],
  ] as const) {
    app.get(path, { config: changing, schema: { summary, response: answers(z.null()) } }, async (request) => {
      await services.runner.start(ChannelRunInput.parse({ kind }), viewerOf(request).id);
      return ok(null);
    });
  }

  app.get(
    "/channel/update_balance/:id",
    {
      config: changing,
      schema: {
        summary: "Request a channel's balance from its provider",
        params: IdParams,
        response: {
          ...answers(z.null()),
          200: z.object({ success: z.boolean(), message: z.string(), balance: z.number() }),
        },
      },
    },
    async (request) => {
      const left = await refreshBalance(services, request.params.id);
      const message = left === undefined ? "This provider does not report the balance." : "";
      return { success: left !== undefined, message, balance: left?.balance ?? 0 };
    },
  );

  olderPathsOfTheSite(app, services);
}

function olderPathsOfTheSite(app: ConsoleApp, services: Services): void {
  const { db, pool } = services;

  for (const path of ["/option/system_info/log", "/system_info/log"]) {
    app.post(
      path,
      {
        config: { access: "root" },
        schema: {
          summary: "List the latest lines of the server's log",
          body: LogRequest,
          response: answers(z.array(LogLine)),
        },
      },
      async (request) =>
        ok(
          (await services.recentLog(request.body.count)).map(({ time, level, message }) => ({
            Timestamp: time,
            Level: level,
            Message: message,
          })),
        ),
    );
  }

  // There is exactly one, and it cannot be chosen.
  app.get(
    "/option/safe_tools",
    {
      config: { access: "root" },
      schema: { summary: "List the checks for forbidden phrases", response: answers(z.array(z.string())) },
    },
    async () => ok(["Keyword"]),
  );

  // A caller with an access token may replace it. A session must be new, so that a stolen one cannot become a
  // permanent credential.
  app.get(
    "/user/token",
    {
      config: { access: "user", checksOrigin: true, rateLimit: GUESS_LIMIT },
      schema: { summary: "Create a new access token; the old one ends", response: answers(z.string()) },
    },
    async (request) => {
      // Version 2 creates one by POST.
      if (request.compat === null) throw notFound({ reason: "page_not_found" });
      const actor = viewerOf(request);
      const owner = await getUser(db, actor.id);
      const presented = tokenOf(request);
      const holder = presented === "" ? null : await findByAccessToken(db, services.secrets, presented);
      if (holder?.id !== actor.id && !(await isRecent(db, services.secrets, actor.id, sessionIdOf(request))))
        throw new GatewayError("sign_in_again", {
          reason: "sign_in_again_or_send_token",
          minutes: RECENT_MINUTES,
        });
      return ok(await renewAccessToken(db, services.secrets, actor, owner));
    },
  );

  app.get(
    "/user/dashboard/rate",
    {
      config: { access: "user" },
      schema: { summary: "Get your current rate limit and its use", response: answers(Rate) },
    },
    async (request) => {
      const { id, group } = viewerOf(request);
      const [{ rpm, tpm }, found] = await Promise.all([lastMinute(pool, id), findGroup(db, group)]);
      const maxRPM = found?.api_rate ?? 0;
      const usageRpmRate = maxRPM > 0 ? Math.floor((rpm / maxRPM) * 10_000) / 100 : 0;
      return ok({ rpm, maxRPM, usageRpmRate, tpm, maxTPM: 0, usageTpmRate: 0 });
    },
  );
}
