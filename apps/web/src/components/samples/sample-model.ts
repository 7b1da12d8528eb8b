/** Selects the model of the code samples, and the kind of a model. Pure. */

export type ModelKind = "chat" | "image" | "audio" | "video" | "embedding" | "rerank" | "moderation";

const kindsByName: [RegExp, ModelKind][] = [
  [/embed|bge-/i, "embedding"],
  [/rerank/i, "rerank"],
  [/moderation/i, "moderation"],
  [/veo|sora|video|kling|hailuo|runway|luma/i, "video"],
  [/dall-e|image|flux|midjourney|^mj_|imagen|stable-diffusion|seedream|recraft|ideogram|cogview/i, "image"],
  [/whisper|tts|transcribe|audio|realtime|speech|suno|chirp|voice|lyria/i, "audio"],
];

/** @param outputs output modalities of the catalogue; without an entry the name decides */
export function kindOfModel(name: string, outputs: readonly string[] = []): ModelKind {
  if (outputs.includes("embedding")) return "embedding";
  if (outputs.includes("text")) return "chat";
  const outputKind = (["video", "image", "audio"] as const).find((kind) => outputs.includes(kind));
  return outputKind ?? kindsByName.find(([pattern]) => pattern.test(name))?.[1] ?? "chat";
}

type Candidate = {
  rank: number | null;
  info: { output_modalities: string[] } | null;
};

/** For models without usage data: families whose newest model is a good example, the best first. */
const families = [/^gpt-\d/, /^claude/, /^gemini/, /^deepseek/, /^qwen/, /^(kimi|moonshot)/, /^glm/, /^grok/];
/** Retired by their providers, or not for plain chat. */
const unfit =
  /^(gpt-3|gpt-4(-|$)|gpt-4-|claude-(2|3|instant)|gemini-1|text-|babbage|davinci)|search|instruct|codex/;

/**
 * Returns the chat model with the most calls, else the newest of a well-known family; "" without one.
 * @param preferred names that come before all others, such as the family that a client is made for
 */
export function sampleModel(models: Readonly<Record<string, Candidate>>, preferred?: RegExp): string {
  const chats = Object.entries(models)
    .filter(([name, model]) => kindOfModel(name, model.info?.output_modalities) === "chat")
    .map(([name, { rank }]) => ({
      name,
      isOther: Number(preferred !== undefined && !preferred.test(name)),
      rank: rank ?? Infinity,
      place: placeOf(name),
    }));
  chats.sort(
    (a, b) =>
      a.isOther - b.isOther ||
      // Infinity − Infinity is NaN.
      (a.rank === b.rank ? 0 : a.rank - b.rank) ||
      a.place - b.place ||
      b.name.localeCompare(a.name, "en", { numeric: true }),
  );
  return chats[0]?.name ?? "";
}

function placeOf(name: string): number {
  if (unfit.test(name)) return families.length + 1;
  const place = families.findIndex((family) => family.test(name));
  return place < 0 ? families.length : place;
}
