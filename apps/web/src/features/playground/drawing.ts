/**
 * Calls models that create images but do not chat, at the image
 * endpoint, with a single question. Independent of the screen.
 */
import { z } from "zod";
import type { Message } from "./chat.ts";
import { askGateway, type CompletionEvent, type CompletionRequest } from "./completion.ts";

const drawers =
  /^(demo-image|dall-e|gpt-image|imagen|flux|stable-diffusion|stable-image|sd3|sdxl|cogview|kolors|seedream|doubao-seedream|qwen-image|wanx|wan2\.\d-t2i|recraft|ideogram|grok-\d+-image|grok-imagine)/;

export function isImageModel(model: string): boolean {
  return drawers.test(model.toLowerCase().replace(/^.*\//, ""));
}

const Drawn = z.object({
  data: z.array(z.object({ b64_json: z.string().nullish(), url: z.string().nullish() })),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }).nullish(),
});

/** Reports the images of the last question. Throws like `streamCompletion`. */
export async function drawPicture(
  request: CompletionRequest,
  report: (event: CompletionEvent) => void,
): Promise<void> {
  const { model, messages } = request;
  const body = { model, prompt: lastText(messages), n: 1 };
  const { response, requestId } = await askGateway("v1/images/generations", body, request);
  report({ type: "opened", requestId });
  const { data, usage } = Drawn.parse(await response.json());
  for (const { b64_json: base64, url } of data) {
    if (base64) report({ type: "image", url: `data:${typeOf(base64)};base64,${base64}` });
    // Nothing is loaded from other servers automatically.
    else if (url) report({ type: "text", text: `<${url}>\n\n` });
  }
  if (usage) report({ type: "usage", input: usage.input_tokens, output: usage.output_tokens });
}

function lastText(messages: readonly Message[]): string {
  const content = messages.findLast(({ role }) => role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Returns the media type by the first bytes, because providers do not report it. */
function typeOf(base64: string): string {
  if (base64.startsWith("/9j/")) return "image/jpeg";
  return base64.startsWith("UklGR") ? "image/webp" : "image/png";
}
