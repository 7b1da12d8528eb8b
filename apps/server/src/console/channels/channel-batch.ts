import { ChannelRow } from "@gateway/shared/channels/channel";
import {
  ChannelBatchAnswer,
  ChannelBatchEdit,
  ChannelEditAnswer,
  ChannelExport,
  ChannelIds,
  ChannelImport,
  ChannelImportAnswer,
} from "@gateway/shared/channels/channel-batch";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { describeChannel } from "#domain/channels/channel-row.ts";
import {
  deleteChannels,
  disabledChannels,
  editChannels,
  switchChannels,
} from "#domain/channels/runs/batch.ts";
import { copyChannel, exportChannels, importChannels } from "#domain/channels/transfer.ts";

const config = { access: "admin", permission: "channels" } as const;
const OneValue = z.object({ ids: ChannelIds, value: z.string().trim().min(1).max(500) });
const Chosen = z.object({ ids: ChannelIds.optional() });

/**
 * Routes that change many channels with one request. Successful changes stay; the response names the failed
 * ones.
 */
export function channelBatchRoutes(app: ConsoleApp, services: Services): void {
  const outcome = { response: answers(ChannelBatchAnswer) };
  const edited = { response: answers(ChannelEditAnswer) };

  app.put(
    "/channel/batch",
    { config, schema: { summary: "Change fields of many channels", body: ChannelBatchEdit, ...edited } },
    async (request) => {
      const { ids, edit, preview } = request.body;
      const answer = await editChannels(services, viewerOf(request), ids, edit, preview);
      for (const { id } of preview ? [] : answer.changed) services.health.forgive(id);
      return ok(answer);
    },
  );

  app.put(
    "/channel/batch/status/:status",
    {
      config,
      schema: {
        summary: "Enable or disable many channels",
        params: z.object({ status: z.enum(["enable", "disable"]) }),
        body: z.object({ ids: ChannelIds }),
        ...outcome,
      },
    },
    async (request) => {
      const status = request.params.status === "enable" ? 1 : 2;
      const answer = await switchChannels(services, viewerOf(request), request.body.ids, status);
      for (const id of status === 1 ? answer.done : []) services.health.forgive(id);
      return ok(answer);
    },
  );

  app.delete(
    "/channel/batch",
    { config, schema: { summary: "Delete many channels", body: z.object({ ids: ChannelIds }), ...outcome } },
    async (request) => ok(await deleteChannels(services, viewerOf(request), request.body.ids)),
  );

  app.delete(
    "/channel/disabled",
    { config, schema: { summary: "Delete all disabled channels", ...outcome } },
    async (request) =>
      ok(await deleteChannels(services, viewerOf(request), await disabledChannels(services))),
  );

  // The older API's two special cases. They return the number of changed channels.
  app.put(
    "/channel/batch/azure_api",
    {
      config,
      schema: {
        summary: "Set the Azure API version of many channels",
        body: OneValue,
        response: answers(z.int()),
      },
    },
    async (request) => {
      const { ids, value } = request.body;
      const answer = await editChannels(services, viewerOf(request), ids, { other: value }, false);
      return ok(answer.changed.length);
    },
  );

  app.put(
    "/channel/batch/del_model",
    {
      config,
      schema: { summary: "Remove models from many channels", body: OneValue, response: answers(z.int()) },
    },
    async (request) => {
      const { ids, value } = request.body;
      const edit = { models: { mode: "remove" as const, values: [value] } };
      return ok((await editChannels(services, viewerOf(request), ids, edit, false)).changed.length);
    },
  );

  transferRoutes(app, services);
}

function transferRoutes(app: ConsoleApp, services: Services): void {
  app.post(
    "/channel/:id/copy",
    { config, schema: { summary: "Copy a channel", params: IdParams, response: answers(ChannelRow) } },
    async (request) =>
      ok(describeChannel(await copyChannel(services, viewerOf(request), request.params.id), [])),
  );

  // POST, so that no other site can make a browser fetch it, and no cache stores it.
  app.post(
    "/channel/export",
    {
      config: { ...config, level: "view" },
      schema: {
        summary: "Export channels without their keys",
        body: Chosen,
        response: answers(ChannelExport),
      },
    },
    async (request) =>
      ok(await exportChannels(services, viewerOf(request), { ids: request.body.ids, withKeys: false })),
  );

  app.post(
    "/channel/export/keys",
    {
      config: { access: "root" },
      schema: { summary: "Export channels with their keys", body: Chosen, response: answers(ChannelExport) },
    },
    async (request) =>
      ok(await exportChannels(services, viewerOf(request), { ids: request.body.ids, withKeys: true })),
  );

  app.post(
    "/channel/import",
    {
      config,
      schema: { summary: "Import channels", body: ChannelImport, response: answers(ChannelImportAnswer) },
    },
    async (request) => ok(await importChannels(services, viewerOf(request), request.body.channels)),
  );
}
