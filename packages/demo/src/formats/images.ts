import { createHash } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { type Json, asList, asNumber, asObject, asText } from "#answer/json.ts";
import { BadQuestion } from "#answer/question.ts";
import { type Reply, type EventAnswer, json } from "#exchange.ts";
import { type Frame, event } from "./chat-wire.ts";

const SIZE = 128;
const MOST_IMAGES = 10;
const TOKENS_PER_IMAGE = 272;

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, "latin1"), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

/** Returns a soft picture of two colours derived from the seed: PNG, 8-bit RGB. */
export function picture(seed: string): Buffer {
  const colours = createHash("sha256").update(seed).digest();
  const rows = Buffer.alloc(SIZE * (1 + SIZE * 3));
  for (let y = 0; y < SIZE; y += 1) {
    for (let x = 0; x < SIZE; x += 1) {
      const near = Math.min(1, Math.hypot(x - SIZE / 2, y - SIZE / 2) / (SIZE / 2));
      for (let channel = 0; channel < 3; channel += 1) {
        const [inner = 0, outer = 0] = [colours[channel], colours[channel + 3]];
        rows[y * (1 + SIZE * 3) + 1 + x * 3 + channel] = Math.round(inner + (outer - inner) * near);
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 2], 8);
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Returns small images, whatever size was requested: no one pays for the pixels. */
export function images(body: Json): Json {
  const prompt = asText(body["prompt"]);
  if (prompt === "") throw new BadQuestion("'prompt' must be a text.", "prompt");
  // A form contains numbers as text.
  const count = asNumber(body["n"]) ?? (Number(asText(body["n"])) || 1);
  if (!Number.isInteger(count) || count < 1 || count > MOST_IMAGES) {
    throw new BadQuestion(`'n' must be between 1 and ${MOST_IMAGES}.`, "n");
  }
  const requested = Math.ceil(Buffer.byteLength(prompt) / 4);
  const written = count * TOKENS_PER_IMAGE;
  return {
    created: Math.floor(Date.now() / 1000),
    data: Array.from({ length: count }, (_, index) => {
      const base64 = picture(`${prompt} ${index}`).toString("base64");
      const url = body["response_format"] === "url";
      return url ? { url: `data:image/png;base64,${base64}`, revised_prompt: prompt } : { b64_json: base64 };
    }),
    usage: {
      input_tokens: requested,
      output_tokens: written,
      total_tokens: requested + written,
      input_tokens_details: { text_tokens: requested, image_tokens: 0 },
    },
  };
}

/** Returns one image as events: the requested number of drafts, then the final image. */
export function draw(body: Json, name: "image_generation" | "image_edit"): Reply | EventAnswer {
  const made = images(body);
  if (body["stream"] !== true && body["stream"] !== "true") return json(made);
  const b64_json = asText(asObject(asList(made["data"])[0])["b64_json"]);
  const about = {
    b64_json,
    created_at: made["created"],
    size: "1024x1024",
    quality: "low",
    output_format: "png",
  };
  const drafts = Math.min(3, Math.max(0, Number(body["partial_images"] ?? 0)));
  const frame = (type: string, more: Json): Frame => ({
    text: event({ type, ...about, ...more }, type),
    piece: true,
  });
  return {
    events: [
      ...Array.from({ length: drafts }, (_, partial_image_index) =>
        frame(`${name}.partial_image`, { partial_image_index }),
      ),
      frame(`${name}.completed`, { usage: made["usage"] }),
    ],
  };
}

/** Returns an edited image in the format of Recraft's tools. */
export function editImage(body: Json): Json {
  const { name } = asObject(body["file"] ?? body["image"]);
  if (asText(name) === "") throw new BadQuestion("'file' must be a picture.", "file");
  const url = `data:image/png;base64,${picture(asText(name)).toString("base64")}`;
  return { created: Math.floor(Date.now() / 1000), credits: 10, image: { url } };
}
