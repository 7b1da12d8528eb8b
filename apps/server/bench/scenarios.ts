/** A kind of load: the requests, the number of connections, and the response of the benchmark's provider. */
export interface Scenario {
  says: string;
  stream: boolean;
  promptBytes: number;
  /** Concurrent connections, unless the command line sets another number. */
  connections: number;
  /** Number of chunks in a streamed response. */
  chunks: number;
  /** Milliseconds between two chunks; 0 = all at once. */
  paceMs: number;
}

const plain: Scenario = {
  says: "a short chat, answered in one body",
  stream: false,
  promptBytes: 120,
  connections: 64,
  chunks: 0,
  paceMs: 0,
};

export const scenarios = {
  plain,
  single: { ...plain, says: "a short chat, answered in one body, one call after the other", connections: 1 },
  stream: {
    ...plain,
    says: "a short chat, answered as a stream of 100 chunks at once",
    stream: true,
    connections: 16,
    chunks: 100,
  },
  paced: {
    ...plain,
    says: "100 streams of 50 chunks, one every 20 ms",
    stream: true,
    connections: 100,
    chunks: 50,
    paceMs: 20,
  },
  large: {
    ...plain,
    says: "a prompt of one megabyte, answered in one body",
    promptBytes: 1_000_000,
    connections: 8,
  },
  slow: {
    ...plain,
    says: "2,000 streams of 50 chunks, one every 200 ms",
    stream: true,
    connections: 2_000,
    chunks: 50,
    paceMs: 200,
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** A model with a price. Other fields of a request define the response. */
export const benchModel = "demo-chat";

/** Returns the duration of one stream of a scenario in milliseconds; 0 where it is sent at once. */
export function streamMs(name: ScenarioName): number {
  const { chunks, paceMs } = scenarios[name];
  return chunks * paceMs;
}

export function requestBody(name: ScenarioName): string {
  const { stream, promptBytes, chunks, paceMs } = scenarios[name];
  const sentence = "The quick brown fox jumps over the lazy dog, and nobody minds. ";
  const content = sentence.repeat(Math.ceil(promptBytes / sentence.length)).slice(0, promptBytes);
  return JSON.stringify({
    model: benchModel,
    user: `${chunks}x${paceMs}`,
    max_tokens: 256,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [
      { role: "system", content: "Answer briefly." },
      { role: "user", content },
    ],
  });
}
