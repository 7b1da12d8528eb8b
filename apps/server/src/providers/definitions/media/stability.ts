import { z } from "zod";
import type { UpstreamError } from "#dialects/ir.ts";
import { parseRecord } from "#dialects/wire.ts";
import { invalidRequest } from "#errors.ts";
import { aspectRatio } from "#providers/aspect-ratio.ts";
import { type Adapter, bearer, type Provider } from "#providers/provider.ts";
import { readImageRequest } from "#providers/schemas/image-request.ts";

const Requested = z.object({
  prompt: z.string().min(1),
  n: z.literal(1).default(1),
  size: z.string().default("1024x1024"),
  output_format: z.enum(["png", "jpeg", "webp"]).default("png"),
});
const Made = z.object({ image: z.base64(), finish_reason: z.string().nullish() });

/** Boundary between the form's parts. Text that contains it would end a part too early, and is rejected. */
const BOUNDARY = "gateway-part-7d31b0c59f2a";

function formOf(fields: Record<string, string>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join("")}--${BOUNDARY}--\r\n`;
}

const images: Adapter = {
  request(body, { model }) {
    const { prompt, size, output_format: format } = readImageRequest(Requested, body);
    if (prompt.includes(BOUNDARY))
      throw invalidRequest({ reason: "prompt_not_sendable" }, { param: "prompt" });
    const engine = /(core|ultra)$/.exec(model)?.[1];
    return {
      path: `/v2beta/stable-image/generate/${engine ?? "sd3"}`,
      headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}`, accept: "application/json" },
      body: formOf({
        prompt,
        output_format: format,
        aspect_ratio: aspectRatio(size),
        ...(engine === undefined ? { model } : {}),
      }),
    };
  },
  answer(text, now) {
    const made = Made.safeParse(parseRecord(text));
    if (!made.success) return { error: unreadable };
    // The image is then blurred or missing; it is not charged.
    if (made.data.finish_reason === "CONTENT_FILTERED") return { error: filtered };
    const answer = { created: Math.floor(now / 1_000), data: [{ b64_json: made.data.image }] };
    return { contentType: "application/json", body: Buffer.from(JSON.stringify(answer)) };
  },
};

const filtered: UpstreamError = {
  kind: "bad-request",
  message: "The provider's safety filter blocked the image.",
  status: 400,
  code: "CONTENT_FILTERED",
};
const unreadable: UpstreamError = { kind: "server", message: "The upstream sent no image.", status: 200 };

/**
 * https://platform.stability.ai/docs/api-reference, read 2026-11-21. Priced per call: the provider counts no
 * tokens.
 */
export const stability: Provider = {
  type: 37,
  id: "stability",
  label: "Stability AI",
  group: "media",
  help: "provider-media",
  baseUrl: "https://api.stability.ai",
  dialects: ["openai-chat"],
  endpoints: ["images"],
  offers: (path) => path === "/v1/images/generations",
  // A rejected image returns 403 here.
  refusals: { kinds: { content_moderation: "bad-request" } },
  keyHint: "sk-…",
  models: ["stable-image-core", "stable-image-ultra", "sd3.5-large", "sd3.5-large-turbo", "sd3.5-medium"],
  testModel: "",
  website: "https://platform.stability.ai/account/credits",
  headers: bearer,
  adapters: { "/v1/images/generations": images },
  listing: "none",
};
