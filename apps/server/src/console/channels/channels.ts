import {
  ChannelChange,
  ChannelInput,
  ChannelPage,
  ChannelPatch,
  ChannelQuery,
  ChannelRow,
  ChannelTestResult,
} from "@gateway/shared/channels/channel";
import { ProviderInfo } from "@gateway/shared/channels/provider";
import { Nothing } from "@gateway/shared/envelope";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Viewer } from "#console/accounts/session.ts";
import { answers, type ConsoleApp, ok } from "#console/answer.ts";
import { viewerOf } from "#console/guards.ts";
import { IdParams, pageOf, RowId, sliceOf } from "#console/paging.ts";
import type { Services } from "#console/services.ts";
import { enabledGroups, groupNames } from "#domain/accounts/groups/groups.ts";
import { checkUpstream } from "#domain/channels/channel-check.ts";
import { requireRootForReferences } from "#domain/channels/channel-destination.ts";
import { type ChannelWithParts, describeChannel, toChannelInput } from "#domain/channels/channel-row.ts";
import { fillMasks } from "#domain/channels/channel-secrets.ts";
import {
  changeChannel,
  createChannel,
  deleteChannel,
  getChannel,
  patchChannel,
  withStoredSecrets,
} from "#domain/channels/channels.ts";
import { enteredKey, type KeyForTest, openFirstKey, testModelFor } from "#domain/channels/key-for-test.ts";
import { keysOf } from "#domain/channels/keys.ts";
import { channelIds, listChannels } from "#domain/channels/list-channels.ts";
import { testStoredChannel } from "#domain/channels/runs/check-channel.ts";
import { collectChannelCharges } from "#domain/ledger/bookings/collect-channel-charges.ts";
import { describeProvider } from "#providers/registry.ts";

const sortable = [
  "id",
  "name",
  "type",
  "status",
  "tag",
  "priority",
  "weight",
  "response_time",
  "test_time",
  "balance",
  "used_quota",
  "created_time",
] as const;

const config = { access: "admin", permission: "channels" } as const;
/** Names that the forms of many screens offer. */
const vocabulary = { access: "admin", permission: "any" } as const;

/** Routes for channels, for administrators. They accept keys and never return them. */
export function channelRoutes(app: ConsoleApp, services: Services): void {
  vocabularyRoutes(app, services);
  storedChannelRoutes(app, services);
  probeRoutes(app, services);
}

function vocabularyRoutes(app: ConsoleApp, services: Services): void {
  app.get(
    "/providers",
    {
      config: vocabulary,
      schema: {
        summary: "List providers and the fields that their channels have",
        response: answers(z.array(ProviderInfo)),
      },
    },
    async () => ok([...services.providers.values()].map(describeProvider)),
  );

  app.get(
    "/group",
    {
      config: vocabulary,
      schema: { summary: "List the symbols of all user groups", response: answers(z.array(z.string())) },
    },
    async () => ok(await enabledGroups(services.db)),
  );

  app.get(
    "/group/names",
    {
      config: vocabulary,
      schema: {
        summary: "List the names of all user groups by symbol",
        response: answers(z.record(z.string(), z.string())),
      },
    },
    async () => ok(await groupNames(services.db)),
  );
}

function storedChannelRoutes(app: ConsoleApp, services: Services): void {
  const { db, health } = services;
  const row = answers(ChannelRow);
  const show = (record: ChannelWithParts) => describeChannel(record, health.freezes(record.id));

  async function quickChange(
    request: FastifyRequest,
    id: number,
    patch: ChannelPatch,
  ): Promise<ChannelWithParts> {
    const changed = await patchChannel(db, viewerOf(request), id, patch);
    if (patch.status === 1) health.forgive(id);
    return changed;
  }

  app.get(
    "/channel",
    {
      config,
      schema: { summary: "List channels", querystring: ChannelQuery, response: answers(ChannelPage) },
    },
    async (request) => {
      const { query } = request;
      const { rows, total } = await listChannels(services, { ...query, ...sliceOf(query, sortable) });
      return ok(pageOf(query, rows.map(show), total));
    },
  );

  app.get(
    "/channel/ids",
    {
      config,
      schema: {
        summary: "List the ids of all channels that match a filter",
        querystring: ChannelQuery,
        response: answers(z.array(z.int())),
      },
    },
    async (request) => ok(await channelIds(services, request.query)),
  );

  app.get(
    "/channel/:id",
    { config, schema: { summary: "Get a channel", params: IdParams, response: row } },
    async (request) => {
      await collectChannelCharges(db);
      return ok(show(await getChannel(db, request.params.id)));
    },
  );

  app.post(
    "/channel",
    { config, schema: { summary: "Create channels, one per key", body: ChannelInput, response: row } },
    async (request) => ok(show(await createChannel(services, viewerOf(request), request.body))),
  );

  async function change(request: FastifyRequest, id: number, fields: ChannelChange): Promise<ChannelRow> {
    const changed = await changeChannel(services, viewerOf(request), id, fields);
    health.forgive(id);
    return show(changed);
  }

  app.put(
    "/channel/:id",
    { config, schema: { summary: "Change a channel", params: IdParams, body: ChannelChange, response: row } },
    async (request) => ok(await change(request, request.params.id, request.body)),
  );

  // The same with the id in the body.
  app.put(
    "/channel",
    {
      config,
      schema: {
        summary: "Change a channel; the id is in the body",
        body: z.intersection(z.object({ id: RowId }), ChannelChange),
        response: row,
      },
    },
    async (request) => {
      const { id, ...fields } = request.body;
      return ok(await change(request, id, fields));
    },
  );

  app.patch(
    "/channel/:id",
    {
      config,
      schema: { summary: "Enable or disable a channel", params: IdParams, body: ChannelPatch, response: row },
    },
    async (request) => ok(show(await quickChange(request, request.params.id, request.body))),
  );

  app.delete(
    "/channel/:id",
    { config, schema: { summary: "Delete a channel", params: IdParams, response: answers(Nothing) } },
    async (request) => {
      await deleteChannel(db, viewerOf(request), request.params.id);
      return ok(null);
    },
  );
}

const TestInput = z.object({ model: z.string().trim().max(160).default("") }).nullable();
const UnsavedTest = ChannelInput.extend({
  id: RowId.optional(),
  model: z.string().trim().max(160).default(""),
});
/** Fields that are not mentioned are as stored, or as in a new channel. */
const ModelListInput = z.object({
  type: ChannelInput.shape.type,
  base_url: ChannelInput.shape.base_url.unwrap().optional(),
  key: ChannelInput.shape.key.unwrap().optional(),
  other: ChannelInput.shape.other.unwrap().optional(),
  proxy: ChannelInput.shape.proxy.unwrap().optional(),
  id: RowId.optional(),
});

/** Calls to the upstream that an operator requests: a test, or the provider's list of models. */
function probeRoutes(app: ConsoleApp, services: Services): void {
  const { db, providers } = services;
  const result = answers(ChannelTestResult);

  app.post(
    "/channel/:id/test",
    {
      config,
      schema: {
        summary: "Test a channel with one of its models",
        params: IdParams,
        body: TestInput,
        response: result,
      },
    },
    async (request) => {
      const tested = await testStoredChannel(services, request.params.id, request.body?.model ?? "");
      return ok(tested);
    },
  );

  app.post(
    "/channel/test",
    {
      config,
      schema: { summary: "Test a channel that is not saved yet", body: UnsavedTest, response: result },
    },
    async (request) => {
      const { id, model, ...given } = request.body;
      const stored = id === undefined ? undefined : await getChannel(db, id);
      const input = fillSecrets(services, viewerOf(request), given, stored);
      checkUpstream(providers, input, stored?.keys ?? []);
      const channel = { ...input, id: id ?? 0, ...keyFor(services, input, stored) };
      return ok(await services.testChannel({ channel, model: model || testModelFor(services, channel) }));
    },
  );

  // The second path is the older API's name.
  for (const path of ["/channel/models", "/channel/provider_models_list"]) {
    app.post(
      path,
      {
        config,
        schema: {
          summary: "Fetch a provider's list of models with given credentials",
          body: ModelListInput,
          response: answers(z.array(z.string())),
        },
      },
      async (request) => {
        const { id, ...given } = request.body;
        const stored = id === undefined ? undefined : await getChannel(db, id);
        const known = stored === undefined ? blank : toChannelInput(stored);
        const wanted = fillSecrets(
          services,
          viewerOf(request),
          { ...known, ...given, key: given.key ?? "" },
          stored,
        );
        checkUpstream(providers, wanted, stored?.keys ?? []);
        const channel = { ...wanted, id: id ?? 0, ...keyFor(services, wanted, stored) };
        return ok(await services.fetchModels(channel));
      },
    );
  }
}

/** A channel with empty fields. */
const blank = ChannelInput.parse({ type: 0, name: "-", models: ["-"], groups: ["-"] });

/**
 * Returns the channel to test before it is saved, with the secrets of the stored channel that it would
 * change.
 */
function fillSecrets<T extends ChannelInput>(
  services: Services,
  viewer: Viewer,
  given: T,
  stored: ChannelWithParts | undefined,
): T {
  if (stored === undefined) {
    requireRootForReferences(viewer, keysOf(given.key));
    return fillMasks(given, undefined).input;
  }
  return withStoredSecrets(services, viewer, stored, given);
}

/** Returns the first given key, or else the first stored one. */
function keyFor(
  services: Services,
  { type, key }: Pick<ChannelInput, "type" | "key">,
  stored: ChannelWithParts | undefined,
): KeyForTest {
  const [first] = keysOf(key);
  if (first !== undefined) return enteredKey(services, type, first);
  return stored === undefined ? { key: "" } : openFirstKey(services, { ...stored, type });
}
