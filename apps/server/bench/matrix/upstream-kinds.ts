import type { ChannelForm } from "@gateway/shared/channels/channel";

/** The kinds of upstream, by the wire format that their provider speaks. */
export const upstreams = ["chat", "responses", "anthropic", "gemini", "bedrock"] as const;
export type UpstreamKind = (typeof upstreams)[number];

export const upstreamLabels: Record<UpstreamKind, string> = {
  chat: "Chat Completions",
  responses: "Responses",
  anthropic: "Messages",
  gemini: "Gemini",
  bedrock: "Bedrock Converse",
};

/** The model under which clients reach a kind of upstream. */
export const modelOf = (kind: UpstreamKind) => `matrix-${kind}`;

type Channel = Partial<ChannelForm> & { type: number; name: string };

function channel(kind: UpstreamKind, type: number, model: string, key = "provider-key") {
  return (base_url: string): Channel => ({
    type,
    name: kind,
    base_url,
    key,
    groups: ["default"],
    models: [modelOf(kind)],
    model_mapping: { [modelOf(kind)]: model },
  });
}

/** Channels whose models decide the wire format: Codex's models exist in Responses only, Nova in Converse. */
export const upstreamChannels: Record<UpstreamKind, (url: string) => Channel> = {
  chat: channel("chat", 8, "llama-4-maverick"),
  responses: channel("responses", 1, "gpt-5.3-codex"),
  anthropic: channel("anthropic", 14, "claude-sonnet-4-5"),
  gemini: channel("gemini", 25, "gemini-3.8-flash"),
  bedrock: channel("bedrock", 32, "us.amazon.nova-2-lite-v1:0", "us-east-1|provider-key"),
};

/** Models of these that have no price after a first start. */
export const unpricedModels = ["llama-4-maverick", "us.amazon.nova-2-lite-v1:0"];

/** Paths that an upstream of the kind is called at. Any other is a call in the wrong format. */
export const upstreamPaths: Record<UpstreamKind, RegExp> = {
  chat: /^\/v1\/chat\/completions$/,
  responses: /^\/v1\/responses/,
  anthropic: /^\/v1\/messages/,
  gemini: /^\/v1beta\/models\//,
  bedrock: /^\/model\/[^/]+\/converse/,
};
