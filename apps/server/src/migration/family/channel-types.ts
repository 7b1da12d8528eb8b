import type { ChannelInput } from "@gateway/shared/channels/channel";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { switchOff } from "./channel-fields.ts";

/** Where a channel type of another gateway goes: this gateway's number, and what else belongs to it. */
export interface Destination {
  type: number;
  plugin?: ChannelInput["plugin"];
  /** What an operator has to look at; the channel is disabled until then. */
  check?: string;
}

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
  if (destination === undefined)
    switchOff(
      channel,
      book,
      "type",
      `Its type ${type} has no counterpart. It is an OpenAI-compatible channel now: check it and enable it.`,
    );
  if (destination?.check !== undefined)
    switchOff(channel, book, `check_${type}`, `${destination.check} Check it and enable it.`);
  if (input.type === custom && input.base_url === "")
    switchOff(channel, book, "no_address", "It has no address. Enter it and enable the channel.");
  if (input.type === baidu && channel.keys.some(({ key }) => key.includes("|") && !key.startsWith("bce-v3")))
    switchOff(
      channel,
      book,
      "baidu",
      "Baidu ended the API of keys with an APIKey and a SecretKey. Enter a key that begins with bce-v3.",
    );
  if (input.type === tencent)
    switchOff(
      channel,
      book,
      "tencent",
      "Tencent ended the API of keys with an AppId. Enter an API key of today's Hunyuan API.",
    );
  if (input.type === bedrock && Object.keys(input.model_mapping).length === 0)
    switchOff(
      channel,
      book,
      "bedrock",
      "Bedrock's own model ids are needed. Enter them in the model mapping and enable the channel.",
    );
}

export function bedrockKey(region: string, accessKey: string, secretKey: string): string {
  return [region, accessKey, secretKey].join("|");
}
