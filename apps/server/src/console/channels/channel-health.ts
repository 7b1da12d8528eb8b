import { ChannelEventPage, ChannelKeyPatch, ChannelKeyRow } from "@gateway/shared/channels/channel";
import { Nothing } from "@gateway/shared/envelope";
import { PageQuery } from "@gateway/shared/paging";
import {
  ChannelHealthQuery,
  ChannelHours,
  ObjectUsage,
  ObjectUsageQuery,
} from "@gateway/shared/usage/object-usage";
import { CacheEffect } from "@gateway/shared/usage/session";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, RowIdText, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { listEvents } from "#domain/channels/channel-events.ts";
import { listKeys, patchKey, removeKey } from "#domain/channels/channel-keys.ts";
import { getChannel } from "#domain/channels/channels.ts";
import { describeCacheEffect } from "#domain/logs/cache-effect.ts";
import { describeUsageOf, hoursOfChannels } from "#domain/overview/object-usage.ts";

const config = { access: "admin", permission: "channels" } as const;
const KeyParams = IdParams.extend({ key: RowIdText });

/** Routes for the health of a channel: its timeline, and its keys one by one. */
export function channelHealthRoutes(app: ConsoleApp, services: Services): void {
  const { db, reads } = services;

  app.get(
    "/channel/:id/events",
    {
      config,
      schema: {
        summary: "List the health events of a channel",
        params: IdParams,
        querystring: PageQuery,
        response: answers(ChannelEventPage),
      },
    },
    async ({ params, query }) => {
      const { rows, total } = await listEvents(db, params.id, sliceOf(query, []));
      return ok(pageOf(query, rows, total));
    },
  );

  app.get(
    "/channel/health",
    {
      config,
      schema: {
        summary: "Get the health of channels over 24 hours",
        querystring: ChannelHealthQuery,
        response: answers(ChannelHours),
      },
    },
    async (request) =>
      ok(await reads.run(({ pool }) => hoursOfChannels(pool, request.query.ids.split(",").map(Number)))),
  );

  app.get(
    "/channel/:id/usage",
    {
      config,
      schema: {
        summary: "Get the usage of a channel over 24 hours and 30 days",
        params: IdParams,
        querystring: ObjectUsageQuery,
        response: answers(ObjectUsage),
      },
    },
    async ({ params, query }) => {
      await getChannel(db, params.id);
      return ok(
        await reads.run(({ pool }) => describeUsageOf(pool, { channel: params.id }, query.time_zone)),
      );
    },
  );

  app.get(
    "/channel/:id/cache",
    {
      config,
      schema: {
        summary: "Get what prompt caching saved on a channel, and what moves to it cost",
        params: IdParams,
        response: answers(CacheEffect),
      },
    },
    async ({ params }) => {
      await getChannel(db, params.id);
      return ok(await reads.run(({ pool }) => describeCacheEffect(pool, { channelId: params.id })));
    },
  );

  channelKeyRoutes(app, services);
}

function channelKeyRoutes(app: ConsoleApp, { db, health, keyReferences }: Services): void {
  const keys = answers(z.array(ChannelKeyRow));
  const show = (id: number) =>
    listKeys(db, id, { freezes: health.freezes(id), faultOf: keyReferences.faultOf });

  app.get(
    "/channel/:id/keys",
    {
      config,
      schema: {
        summary: "List the keys of a channel, shortened, with their state",
        params: IdParams,
        response: keys,
      },
    },
    async ({ params }) => ok(await show(params.id)),
  );

  app.patch(
    "/channel/:id/keys/:key",
    {
      config,
      schema: {
        summary: "Enable or disable a key of a channel",
        params: KeyParams,
        body: ChannelKeyPatch,
        response: keys,
      },
    },
    async (request) => {
      const { id, key } = request.params;
      await patchKey(db, viewerOf(request), id, key, request.body);
      if (request.body.status === 1) health.forgive(id);
      return ok(await show(id));
    },
  );

  app.delete(
    "/channel/:id/keys/:key",
    {
      config,
      schema: { summary: "Remove a key from a channel", params: KeyParams, response: answers(Nothing) },
    },
    async (request) => {
      await removeKey(db, viewerOf(request), request.params.id, request.params.key);
      return ok(null);
    },
  );
}
