import type { FastifyReply, FastifyRequest } from "fastify";
import { decodeEmbedRequest } from "#dialects/gemini/embeddings.ts";
import { estimateUsage } from "#domain/pricing/estimate.ts";
import { accessOf } from "#gateway/access/access.ts";
import { admit } from "#gateway/access/admit.ts";
import { jsonBody } from "#gateway/body/json-body.ts";
import { sendAnswer } from "#gateway/http/reply.ts";
import { targetOf } from "#gateway/http/request-url.ts";
import type { GatewayServices } from "#gateway/services.ts";
import { relayEmbed } from "#relay/media/embed.ts";

/**
 * Serves `:embedContent` and `:batchEmbedContents` of Gemini's clients.
 * @param batch several contents at once
 */
export async function answerEmbed(
  services: GatewayServices,
  batch: boolean,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { model = "" } = targetOf(request) ?? {};
  const { raw, body } = jsonBody(request);
  const decoded = decodeEmbedRequest(body, batch);
  const isUnseen = decoded.parts.some((part) => part.type === "file");
  const { signal } = accessOf(request);
  const { headers, call } = await admit(services, {
    ...accessOf(request),
    endpoint: `/v1beta/models/:${batch ? "batchEmbedContents" : "embedContent"}`,
    needs: "embeddings" as const,
    model,
    stream: false,
    tools: false,
    estimate: {
      ...estimateUsage(
        { model, stream: false, messages: [{ role: "user", parts: decoded.parts }] },
        { maxOutputTokens: 0 },
      ),
      ...(isUnseen ? { isUnseen } : {}),
    },
    calls: 1,
    signal,
    body,
    raw,
    request: decoded,
  });
  const answer = await relayEmbed(services.relay, call);
  const { streams } = services.relay.metrics;
  await sendAnswer(reply, answer, { heartbeat: "", heartbeatMs: 0, headers, signal, streams });
}
