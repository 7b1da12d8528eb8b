import type { ChannelInput } from "@gateway/shared/channels/channel";
import { lookupTable } from "@gateway/shared/lookup-table";
import { reasonOf } from "@gateway/shared/reasons";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { disable } from "./channel-fields.ts";

/** Where a channel type of another gateway goes: this gateway's number, and what else belongs to it. */
export interface Destination {
  type: number;
  plugin?: ChannelInput["plugin"];
  /** What the other gateway used for a channel without an address, where this one has no provider of its own for it. */
  address?: string;
  /** What an operator has to look at; the channel is disabled until then. */
  check?: "importBotModels" | "importOwnRoutes";
}

/** Resellers of 2023 by the number that both products give them, with the address that their channels used. */
export const resellers: Readonly<Record<number, Destination>> = {
  2: { type: 8, address: "https://oa.api2d.net" },
  4: { type: 8, address: "https://api.closeai-proxy.xyz" },
  5: { type: 8, address: "https://api.openai-sb.com" },
  6: { type: 8, address: "https://api.openaimax.com" },
  7: { type: 8, address: "https://api.ohmygpt.com" },
  9: { type: 8, address: "https://api.caipacity.com" },
  10: { type: 8, address: "https://api.aiproxy.io" },
  12: { type: 8, address: "https://api.api2gpt.com" },
  13: { type: 8, address: "https://api.aigc2d.com" },
  22: { type: 8, address: "https://fastgpt.run/api/openapi" },
};

const custom = 8;
const baidu = 15;
const tencent = 23;
const bedrock = 32;

/** Sets the type; what cannot work is disabled with the reason. */
export function keepOrSwitchOff(
  channel: ChannelRecord,
  type: number,
  destination: Destination | undefined,
  book: ReadContext["book"],
): void {
  const { input } = channel;
  input.type = destination?.type ?? custom;
  if (destination?.plugin !== undefined) input.plugin = destination.plugin;
  if (destination === undefined) disable(channel, book, reasonOf("importType", { type }));
  if (destination?.check !== undefined) disable(channel, book, reasonOf(destination.check));
  if (input.base_url === "" && destination?.address !== undefined) input.base_url = destination.address;
  if (input.type === custom && input.base_url === "") disable(channel, book, reasonOf("importNoAddress"));
  if (input.type === baidu && channel.keys.some(({ key }) => key.includes("|") && !key.startsWith("bce-v3")))
    disable(channel, book, reasonOf("importBaiduKey"));
  if (input.type === tencent) disable(channel, book, reasonOf("importTencentKey"));
  if (input.type === bedrock && !addBedrockIds(input, channel.keys[0]?.key ?? ""))
    disable(channel, book, reasonOf("importBedrockModels"));
}

/** Ids that do not follow from the model's own name. */
const bedrockIds = lookupTable<string>({
  "claude-instant-1.2": "anthropic.claude-instant-v1",
  "claude-2.0": "anthropic.claude-v2",
  "claude-2.1": "anthropic.claude-v2:1",
  "claude-3-5-sonnet-20241022": "anthropic.claude-3-5-sonnet-20241022-v2:0",
  "claude-3-5-sonnet-latest": "anthropic.claude-3-5-sonnet-20241022-v2:0",
});

/** Models that are called through an inference profile of a part of the world. */
const byProfile = /^claude-(?:3-7|opus-4|sonnet-4|haiku-4)/;
const profiles = lookupTable<string>({ us: "us.", eu: "eu.", ap: "apac." });

/** Bedrock's id of one of Anthropic's models; undefined for a name that is none of theirs. */
function bedrockId(model: string, profile: string): string | undefined {
  const known = bedrockIds[model];
  if (known !== undefined) return known;
  if (!/^claude-[\w.-]+-20\d{6}$/.test(model)) return undefined;
  return `${byProfile.test(model) ? profile : ""}anthropic.${model}-v1:0`;
}

/**
 * The other gateways translate Anthropic's names and bill them. Returns whether every model of the channel
 * has an id of Bedrock.
 * @param key begins with the region
 */
function addBedrockIds(input: ChannelRecord["input"], key: string): boolean {
  const profile = profiles[/^([a-z]+)-/.exec(key)?.[1] ?? ""] ?? "";
  const mapping: Record<string, string> = {};
  for (const model of input.models) {
    const [, mark = "", target = model] = /^(\+?)(.*)$/.exec(input.model_mapping[model] ?? model) ?? [];
    const id = /^(?:\w+\.)?\w+\.[\w.:-]+$/.test(target) ? target : bedrockId(target, profile);
    if (id === undefined) return false;
    // Billed by the name that was called, unless a mapping said that the target counts and the target is an id already.
    if (id === target) mapping[model] = `${mark}${target}`;
    else if (mark === "+" || target === model) mapping[model] = `+${id}`;
    else return false;
  }
  input.model_mapping = mapping;
  return input.models.length > 0;
}

export function bedrockKey(region: string, accessKey: string, secretKey: string): string {
  return [region, accessKey, secretKey].join("|");
}
