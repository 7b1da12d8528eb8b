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
  /** Dialect of the client, where it is not the provider's. Targets that cannot translate get the provider's. */
  client?: "anthropic";
  /** Milliseconds from the start of one call to the start of the next on a connection. Default: no pause. */
  everyMs?: number;
  /** Milliseconds over which the connections start. Default: the duration of one stream. */
  startMs?: number;
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
  streams: {
    ...plain,
    says: "300 streams of 50 chunks, one every 100 ms",
    stream: true,
    connections: 300,
    chunks: 50,
    paceMs: 100,
  },
  translated: {
    ...plain,
    says: "the same from an Anthropic client; the provider speaks Chat Completions",
    stream: true,
    connections: 300,
    chunks: 50,
    paceMs: 100,
    client: "anthropic",
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

/** Loads of `pnpm bench:states`, each on a process that was just started. */
export const stateScenarios = {
  started: {
    ...plain,
    says: "five short chats per second",
    connections: 1,
    everyMs: 200,
  },
  burst: {
    ...plain,
    says: "500 streams of 50 chunks, one every 200 ms, that begin within one second",
    stream: true,
    connections: 500,
    chunks: 50,
    paceMs: 200,
    startMs: 1_000,
  },
} as const satisfies Record<string, Scenario>;

export type LoadName = ScenarioName | keyof typeof stateScenarios;

export function scenarioOf(name: LoadName): Scenario {
  return { ...scenarios, ...stateScenarios }[name];
}

/** A model with a price. Other fields of a request define the response. */
export const benchModel = "demo-chat";

/** Returns the duration of one stream of a scenario in milliseconds; 0 where it is sent at once. */
export function streamMs(name: LoadName): number {
  const { chunks, paceMs } = scenarioOf(name);
  return chunks * paceMs;
}

/** @param client dialect of the request. Default: the provider's, Chat Completions */
export function requestBody(name: LoadName, client?: "anthropic"): string {
  const { stream, promptBytes, chunks, paceMs } = scenarioOf(name);
  const sentence = "The quick brown fox jumps over the lazy dog, and nobody minds. ";
  const content = sentence.repeat(Math.ceil(promptBytes / sentence.length)).slice(0, promptBytes);
  // The benchmark's provider reads its pace from the user.
  const pace = `${chunks}x${paceMs}`;
  if (client === "anthropic")
    return JSON.stringify({
      model: benchModel,
      metadata: { user_id: pace },
      max_tokens: 256,
      stream,
      system: "Answer briefly.",
      messages: [{ role: "user", content }],
    });
  return JSON.stringify({
    model: benchModel,
    user: pace,
    max_tokens: 256,
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    messages: [
      { role: "system", content: "Answer briefly." },
      { role: "user", content },
    ],
  });
}
