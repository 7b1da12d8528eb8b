import { ChannelPatch, ChannelRow } from "@gateway/shared/channels/channel";
import {
  ChannelBatchAnswer,
  ChannelTag,
  ChannelTagAnswer,
  ChannelTagEdit,
} from "@gateway/shared/channels/channel-batch";
import { z } from "zod";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { type ChannelWithParts, describeChannel } from "#domain/channels/channel-row.ts";
import { editChannel } from "#domain/channels/channels.ts";
import {
  deleteChannels,
  disabledChannels,
  editChannels,
  switchChannels,
} from "#domain/channels/runs/batch.ts";
import { channelsOfTag, editTag, idsOfTag, listTags } from "#domain/channels/tags.ts";
import { collectChannelCharges } from "#domain/ledger/bookings/collect-channel-charges.ts";

const config = { access: "admin", permission: "channels" } as const;
export const TagParams = z.object({ tag: z.string().min(1).max(64) });

const outcome = answers(ChannelBatchAnswer);

/** Routes that treat all channels of a tag as one. */
export function channelTagRoutes(app: ConsoleApp, services: Services): void {
  const { db, health } = services;
  const show = (record: ChannelWithParts) => describeChannel(record, health.freezes(record.id));

  app.get(
    "/channel_tag/_all",
    { config, schema: { summary: "List the tags of channels", response: answers(z.array(ChannelTag)) } },
    async () => ok(await listTags(db)),
  );

  app.get(
    "/channel_tag/:tag/list",
    {
      config,
      schema: {
        summary: "List the channels of a tag",
        params: TagParams,
        response: answers(z.array(ChannelRow)),
      },
    },
    async (request) => {
      await collectChannelCharges(db);
      return ok((await channelsOfTag(db, request.params.tag)).map(show));
    },
  );

  // Returns the newest channel: an editor of the whole tag starts with it.
  app.get(
    "/channel_tag/:tag",
    {
      config,
      schema: {
        summary: "Get the shared fields of a tag's channels",
        params: TagParams,
        response: answers(ChannelRow.nullable()),
      },
    },
    async (request) => {
      const [newest] = await channelsOfTag(db, request.params.tag);
      return ok(newest === undefined ? null : show(newest));
    },
  );

  app.put(
    "/channel_tag/:tag",
    {
      config,
      schema: {
        summary: "Change all channels of a tag",
        params: TagParams,
        body: ChannelTagEdit,
        response: answers(ChannelTagAnswer),
      },
    },
    async (request) => {
      const answer = await editTag(services, viewerOf(request), request.params.tag, request.body);
      for (const { id } of answer.preview ? [] : answer.changed) health.forgive(id);
      return ok(answer);
    },
  );

  app.delete(
    "/channel/:id/tag",
    {
      config,
      schema: { summary: "Remove the tag of a channel", params: IdParams, response: answers(ChannelRow) },
    },
    async (request) =>
      ok(
        show(
          await editChannel(services, viewerOf(request), request.params.id, (now) => ({ ...now, tag: "" })),
        ),
      ),
  );

  taggedChannelRoutes(app, services);
}

/** Routes that delete or change the channels of a tag without showing them. */
function taggedChannelRoutes(app: ConsoleApp, services: Services): void {
  const { db, health } = services;

  app.delete(
    "/channel_tag/:tag",
    { config, schema: { summary: "Delete all channels of a tag", params: TagParams, response: outcome } },
    async (request) =>
      ok(await deleteChannels(services, viewerOf(request), await idsOfTag(db, request.params.tag))),
  );

  app.delete(
    "/channel_tag/:tag/disabled",
    {
      config,
      schema: { summary: "Delete the disabled channels of a tag", params: TagParams, response: outcome },
    },
    async (request) => {
      const { tag } = request.params;
      await idsOfTag(db, tag);
      return ok(await deleteChannels(services, viewerOf(request), await disabledChannels(services, tag)));
    },
  );

  app.put(
    "/channel_tag/:tag/priority",
    {
      config,
      schema: {
        summary: "Set the priority of a tag's channels",
        params: TagParams,
        body: z.discriminatedUnion("type", [
          z.object({ type: z.literal("priority"), value: ChannelPatch.shape.priority.unwrap() }),
          z.object({ type: z.literal("weight"), value: ChannelPatch.shape.weight.unwrap() }),
        ]),
        response: outcome,
      },
    },
    async (request) => {
      const ids = await idsOfTag(db, request.params.tag);
      const edit = { [request.body.type]: request.body.value };
      const { failed } = await editChannels(services, viewerOf(request), ids, edit, false);
      const bad = new Set(failed.map((each) => each.id));
      return ok({ done: ids.filter((id) => !bad.has(id)), failed });
    },
  );

  app.put(
    "/channel_tag/:tag/status/:status",
    {
      config,
      schema: {
        summary: "Enable or disable a tag's channels",
        params: TagParams.extend({ status: z.enum(["enable", "disable"]) }),
        response: outcome,
      },
    },
    async (request) => {
      const { tag, status } = request.params;
      const wanted = status === "enable" ? 1 : 2;
      const answer = await switchChannels(services, viewerOf(request), await idsOfTag(db, tag), wanted);
      for (const id of wanted === 1 ? answer.done : []) health.forgive(id);
      return ok(answer);
    },
  );
}
