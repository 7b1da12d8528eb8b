/** What the load generator sends. The vendor behind answers every one of them at once, with 64 tokens. */
export const scenarios = {
  plain: { stream: false, promptBytes: 120, says: "a short chat, answered in one body" },
  stream: { stream: true, promptBytes: 120, says: "a short chat, answered as a stream of 64 events" },
  large: { stream: false, promptBytes: 1_000_000, says: "a prompt of one megabyte, answered in one body" },
} as const;

export type ScenarioName = keyof typeof scenarios;

export function requestBody(name: ScenarioName): string {
  const { stream, promptBytes } = scenarios[name];
  const sentence = "The quick brown fox jumps over the lazy dog, and nobody minds. ";
  const content = sentence.repeat(Math.ceil(promptBytes / sentence.length)).slice(0, promptBytes);
  return JSON.stringify({
    model: "demo-chat",
    max_tokens: 256,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [
      { role: "system", content: "Answer briefly." },
      { role: "user", content },
    ],
  });
}
