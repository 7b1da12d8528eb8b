import { openai } from "#providers/definitions/openai.ts";
import type { ActiveChannel } from "./active-channel.ts";

/** Returns an active channel, for tests that only read it. */
export function channel(part: Partial<ActiveChannel> & { id: number }): ActiveChannel {
  return {
    name: `channel ${part.id}`,
    provider: openai,
    baseUrl: openai.baseUrl,
    other: "",
    keys: [{ id: part.id, key: "k", weight: 1 }],
    models: ["gpt"],
    groups: ["default"],
    priority: 0,
    weight: 1,
    mapping: { exact: new Map(), wildcards: [] },
    headers: {},
    parameters: {},
    disabledStream: new Set(),
    onlyChat: false,
    preCost: 1,
    compatibleResponse: false,
    proxy: "",
    plugin: {},
    testModel: "",
    autoDisable: true,
    sessionAffinity: true,
    cacheMarks: true,
    responsesWebSocket: true,
    allowExtraBody: false,
    logBodies: false,
    systemPrompt: "",
    systemPromptPlace: "before",
    maxConcurrency: 0,
    connectTimeoutMs: 0,
    firstByteTimeoutMs: 0,
    idleTimeoutMs: 0,
    ...part,
  };
}
