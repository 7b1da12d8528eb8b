import { type Reason, reasonOf } from "@gateway/shared/reasons";
import type { DialectId } from "#dialects/ir.ts";
import type { Endpoint, Provider } from "#providers/provider.ts";

/** The request of a channel test, by the model's name. */
export type ProbeQuestion =
  /** Uses the provider's preferred dialect, unless `dialect` is set. */
  | { kind: "chat"; dialect?: DialectId }
  | { kind: "plain"; path: string; body: Record<string, unknown>; costly?: true }
  /** No short request exists, so the test has no result. */
  | { kind: "none"; reason: Reason };

interface Sort {
  names: RegExp;
  needs: Endpoint;
  question: ProbeQuestion;
  /** Ask every provider that lists such a model, whatever its endpoints. */
  always?: true;
}

const plain = (path: string, body: Record<string, unknown>): ProbeQuestion => ({ kind: "plain", path, body });
const none = (reason: Reason): ProbeQuestion => ({ kind: "none", reason });

export const needsRecording = reasonOf("testNeedsRecording");
export const takesMinutes = reasonOf("testTakesMinutes");
export const needsSocket = reasonOf("testNeedsSocket");
export const noQuestion = reasonOf("noCheapTest");

/** First match wins; chat when none matches. */
const sorts: readonly Sort[] = [
  { names: /realtime/, needs: "realtime", question: none(needsSocket) },
  { names: /whisper|transcri|(?:^|\/)asr|-asr/, needs: "audio", question: none(needsRecording) },
  {
    names: /^(?:mj_|suno|chirp|kling|sora|veo-|vidu|hailuo|runway)|video|t2v|i2v/,
    needs: "chat",
    question: none(takesMinutes),
  },
  {
    names: /rerank/,
    needs: "rerank",
    question: plain("/v1/rerank", { query: "Hi", documents: ["Hi", "Bye"] }),
    always: true,
  },
  {
    names: /embed|(?:^|\/)(?:bge|gte|e5|m3e|uae|jina-clip)-|retrieval/,
    needs: "embeddings",
    question: plain("/v1/embeddings", { input: "Hi" }),
  },
  { names: /moderation/, needs: "moderations", question: plain("/v1/moderations", { input: "Hi" }) },
  {
    names: /tts|speech/,
    needs: "audio",
    question: plain("/v1/audio/speech", { input: "Hi", voice: "alloy" }),
  },
  { names: /^recraft_/, needs: "images", question: none(noQuestion) },
  {
    names:
      /dall-e|gpt-image|flux|diffusion|(?:^|\/)sd\d|(?:^|\/)sd-|cogview|janus|imagen|recraft|ideogram|image$/,
    needs: "images",
    question: {
      kind: "plain",
      path: "/v1/images/generations",
      body: { prompt: "A small red dot on white", n: 1 },
      costly: true,
    },
  },
];

/** OpenAI's models made for Responses. Some work nowhere else. */
const responsesOnly =
  /(?:^|\/)(?:o\d(?:-|$)|(?:chat)?gpt-[\w.]+-pro(?:-|$)|codex|gpt-[\w.-]*codex|computer-use)/;

export function questionFor({ endpoints }: Pick<Provider, "endpoints">, model: string): ProbeQuestion {
  const name = model.toLowerCase();
  for (const { names, needs, question, always } of sorts)
    if (names.test(name) && (question.kind === "none" || always === true || endpoints.includes(needs)))
      return question;
  if (!endpoints.includes("chat")) return none(noQuestion);
  return responsesOnly.test(name) && endpoints.includes("responses")
    ? { kind: "chat", dialect: "openai-responses" }
    : { kind: "chat" };
}
