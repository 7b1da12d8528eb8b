/** Creates, extends and deletes cached contents at the provider that keeps them. Storage is charged for its whole time in advance. */
import { z } from "zod";
import type { Wire } from "#dialects/dialect.ts";
import { dialects } from "#dialects/index.ts";
import { parseJson } from "#dialects/json/parse-json.ts";
import { emptyTally } from "#dialects/usage/tally.ts";
import { readAs } from "#dialects/wire.ts";
import { chooseKey } from "#domain/channels/selection/active-channel.ts";
import { notFound } from "#errors.ts";
import { now } from "#platform/clock.ts";
import type { PricedTarget, ReceivedCall } from "#relay/core/call.ts";
import { relay, relayFree } from "#relay/core/exchange.ts";
import { unreadableError, wholeText } from "#relay/core/response/whole-text.ts";
import type { RelayServices } from "#relay/core/services.ts";
import { dialectFor } from "#relay/core/upstream/send.ts";

/** Unit of `tool:cache-storage`: a thousand tokens for one hour. */
export const storageTool = "cache-storage";
const tokensPerUnit = 1_000;
const hourMs = 3_600_000;

/** Returns the units of storage that are charged, rounded up. */
export function storageUnits(tokens: number, milliseconds: number): number {
  return Math.ceil((tokens * Math.max(0, milliseconds)) / (tokensPerUnit * hourMs));
}

/** A call that creates a cached content, or changes when one expires. */
export interface CachedContentCall extends ReceivedCall {
  /** The content that is changed; undefined to create one. */
  readonly name?: string;
  readonly body: Wire;
  /** Until when storage is paid already, in milliseconds since 1970. */
  readonly paidUntil: number;
  /** Called before the charge. */
  keep(created: ProviderContent, target: PricedTarget): Promise<void>;
}

/** A cached content as the provider describes it. */
export interface ProviderContent {
  readonly name: string;
  readonly displayName?: string | undefined;
  readonly createTime: string;
  readonly updateTime: string;
  readonly expireTime: string;
  readonly tokens: number;
}

const answer = z.looseObject({
  name: z.string().regex(/^cachedContents\/[\w-]{1,100}$/),
  displayName: z.string().max(128).nullish(),
  createTime: z.iso.datetime({ offset: true }),
  updateTime: z.iso.datetime({ offset: true }),
  expireTime: z.iso.datetime({ offset: true }),
  usageMetadata: z.looseObject({ totalTokenCount: z.int().min(0).max(100_000_000) }),
});

const maxBytes = 1024 * 1024;
const json = { "content-type": "application/json", accept: "application/json" };
const { decodeError } = dialects.gemini;

/** Relays the call. Throws what every call throws, and `model_not_found` where no provider keeps contents of this model. */
export function relayCachedContent(
  services: RelayServices,
  call: CachedContentCall,
): Promise<ProviderContent> {
  return relay<ProviderContent>(services, call, {
    suits: ({ channel, upstreamModel }) => dialectFor(channel, "gemini", upstreamModel) === "gemini",
    encode: ({ target: { upstreamModel: model } }) => ({
      request: {
        method: call.name === undefined ? "POST" : "PATCH",
        path: call.name === undefined ? "/v1beta/cachedContents" : `/v1beta/${call.name}?updateMask=ttl`,
        model,
        dialect: "gemini",
        headers: json,
        body: JSON.stringify(
          call.name === undefined ? { ...call.body, model: `models/${model}` } : call.body,
        ),
      },
      decodeError,
    }),
    async read(response, _sent, routed, bill) {
      const read = readAs(answer, parseJson(await wholeText(response, maxBytes, call.memory)));
      if (read === undefined || (call.name !== undefined && read.name !== call.name))
        return { error: unreadableError(response.status) };
      bill.accept(routed);
      const { usageMetadata, displayName, ...times } = read;
      const tokens = usageMetadata.totalTokenCount;
      const { name, createTime, updateTime, expireTime } = times;
      const content = {
        name,
        displayName: displayName ?? undefined,
        createTime,
        updateTime,
        expireTime,
        tokens,
      };
      await call.keep(content, routed.target);
      const units = storageUnits(tokens, Date.parse(expireTime) - Math.max(now(), call.paidUntil));
      const reported = {
        input: call.name === undefined ? tokens : 0,
        output: 0,
        ...(units > 0 ? { toolCalls: { [storageTool]: units } } : {}),
      };
      await bill.settle({ routed, outcome: "complete", reported, final: true, delivered: emptyTally() });
      return content;
    },
  });
}

/** A call that deletes a cached content. Free. */
export interface DeletedContentCall extends ReceivedCall {
  readonly name: string;
  readonly channelId: number;
  readonly keyId: number | null;
}

/** Deletes a cached content at its provider. Resolves also if it is gone already. */
export async function deleteCachedContent(services: RelayServices, call: DeletedContentCall): Promise<void> {
  await relayFree<object, DeletedContentCall>(services, call, {
    target() {
      const channel = services.candidates.byId(call.channelId);
      if (channel === undefined) throw notFound({ reason: "cached_content_channel_gone" });
      return { channel, key: chooseKey(channel, services.random(), { pinned: call.keyId ?? undefined }) };
    },
    encode: () => ({
      request: {
        method: "DELETE",
        path: `/v1beta/${call.name}`,
        dialect: "gemini",
        headers: json,
        body: null,
      },
      decodeError,
    }),
    async read(response) {
      await wholeText(response, maxBytes, call.memory);
      return {};
    },
    otherwise: (last) => (last?.kind === "not-found" ? {} : undefined),
  });
}
