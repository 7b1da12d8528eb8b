import { setTimeout as sleep } from "node:timers/promises";
import {
  ChannelBalance,
  ChannelPulse,
  ChannelRun,
  ChannelRunDetail,
  ChannelRunInput,
  ChannelTestRow,
} from "@gateway/shared/channels/channel-run";
import { Nothing } from "@gateway/shared/envelope";
import { type ModelCheckEvent, ModelCheckInput } from "@gateway/shared/models/model-check";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { sendEvents } from "#console/event-stream.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { type ChannelForTest, toFullChannelInput } from "#domain/channels/channel-row.ts";
import { getChannel } from "#domain/channels/channels.ts";
import { openFirstKey } from "#domain/channels/key-for-test.ts";
import { refreshBalance } from "#domain/channels/runs/check-channel.ts";
import { endRun, getRun, listRuns, readRun } from "#domain/channels/runs/runs.ts";
import { pulses, testsOf } from "#domain/channels/test-history.ts";

const config = { access: "admin", permission: "channels" } as const;

/** Interval in which a watcher polls. The database is queried only while a user watches. */
const LOOK_MS = 400;

const one = answers(ChannelRun);

/**
 * Routes for tests and balances of many channels as background work, and for the results of earlier tests.
 */
export function channelRunRoutes(app: ConsoleApp, services: Services): void {
  const { db, runner } = services;
  const closing = new AbortController();
  app.addHook("preClose", async () => closing.abort());

  app.post(
    "/channel/run",
    {
      config,
      schema: {
        summary: "Start a test, balance or model list check of many channels",
        body: ChannelRunInput,
        response: one,
      },
    },
    async (request) => {
      const id = await runner.start(request.body, viewerOf(request).id);
      return ok(await getRun(db, id));
    },
  );

  app.get(
    "/channel/run",
    {
      config,
      schema: {
        summary: "List runs of channel tests, balance and model list checks",
        response: answers(z.array(ChannelRun)),
      },
    },
    async () => ok(await listRuns(db)),
  );

  app.get(
    "/channel/run/:id",
    {
      config,
      schema: { summary: "Get a run and its results", params: IdParams, response: answers(ChannelRunDetail) },
    },
    async (request) => ok(await readRun(db, request.params.id)),
  );

  app.post(
    "/channel/run/:id/cancel",
    { config, schema: { summary: "Cancel a run", params: IdParams, response: one } },
    async (request) => {
      const { id } = request.params;
      await endRun(db, id, "cancelled");
      return ok(await getRun(db, id));
    },
  );

  app.get(
    "/channel/run/:id/events",
    {
      config,
      schema: { summary: "Follow a run as server-sent events", params: IdParams, response: answers(Nothing) },
    },
    async (request, reply) => {
      const { id } = request.params;
      // Runs before the response head is sent, while a 404 is still possible.
      await getRun(db, id);
      return sendEvents(request, reply, progress(services, id, closing.signal));
    },
  );

  app.post(
    "/sse/channel/check",
    {
      config,
      schema: {
        summary: "Check what a channel's models return, as server-sent events",
        body: ModelCheckInput,
        response: answers(Nothing),
      },
    },
    async (request, reply) => {
      const row = await getChannel(db, request.body.id);
      const channel = {
        ...toFullChannelInput(services.secrets, row),
        id: row.id,
        ...openFirstKey(services, row),
      };
      const models = request.body.models.split(",").map((model) => model.trim());
      const wanted = new Set(models.filter((model) => model !== ""));
      return sendEvents(request, reply, checks(services, channel, wanted, closing.signal));
    },
  );

  resultRoutes(app, services);
}

/** Routes for the results of earlier tests, and for balances. */
function resultRoutes(app: ConsoleApp, services: Services): void {
  const { db, runner } = services;

  app.get(
    "/channel/:id/tests",
    {
      config,
      schema: {
        summary: "List the latest test results of a channel",
        params: IdParams,
        response: answers(z.array(ChannelTestRow)),
      },
    },
    async (request) => {
      await getChannel(db, request.params.id);
      return ok(await testsOf(db, request.params.id));
    },
  );

  app.get(
    "/channel/tests",
    {
      config,
      schema: {
        summary: "List the latest test result of every channel",
        querystring: z.object({ ids: z.string().regex(/^\d{1,9}(,\d{1,9}){0,99}$/, "Send up to 100 ids") }),
        response: answers(z.array(ChannelPulse)),
      },
    },
    async (request) => ok(await pulses(db, request.query.ids.split(",").map(Number))),
  );

  app.post(
    "/channel/update_balance/:id",
    {
      config,
      schema: {
        summary: "Request a channel's balance from its provider",
        params: IdParams,
        response: answers(ChannelBalance.nullable()),
      },
    },
    async (request) => ok((await refreshBalance(services, request.params.id)) ?? null),
  );

  // The older API's route for all channels. That one waited for the last balance; this one returns the run to
  // poll.
  app.post(
    "/channel/update_balance",
    { config, schema: { summary: "Request the balances of all channels", response: one } },
    async (request) => {
      const input = ChannelRunInput.parse({ kind: "balance" });
      const id = await runner.start(input, viewerOf(request).id);
      return ok(await getRun(db, id));
    },
  );
}

/** Yields the current state, then every change, until the run has ended. */
async function* progress(
  { db }: Services,
  id: number,
  signal: AbortSignal,
): AsyncGenerator<ChannelRunDetail> {
  let last = 0;
  let reported = "";
  while (!signal.aborted) {
    const seen = await readRun(db, id, last);
    const now = JSON.stringify(seen.run);
    if (seen.items.length > 0 || now !== reported) yield { run: seen.run, items: seen.items };
    ({ last } = seen);
    reported = now;
    if (seen.run.status !== "running") return;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/**
 * Checks one model after the other: parallel calls could hit the provider's rate limit and look like
 * failures.
 */
async function* checks(
  services: Services,
  channel: ChannelForTest,
  models: Iterable<string>,
  signal: AbortSignal,
): AsyncGenerator<ModelCheckEvent> {
  for (const model of models) {
    if (signal.aborted) return;
    yield { type: "result", data: await services.checkModel({ channel, model }) };
  }
  yield { type: "done", data: null };
}
