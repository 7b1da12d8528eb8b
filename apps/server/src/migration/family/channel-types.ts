import type { ChannelInput } from "@gateway/shared/channels/channel";
import { reasonOf } from "@gateway/shared/reasons";
import type { ReadContext } from "#migration/products/product.ts";
import type { ChannelRecord } from "#migration/records.ts";
import { disable } from "./channel-fields.ts";

/** Where a channel type of another gateway goes: this gateway's number, and what else belongs to it. */
export interface Destination {
  type: number;
  plugin?: ChannelInput["plugin"];
  /** What an operator has to look at; the channel is disabled until then. */
  check?: "importBotModels" | "importOwnRoutes";
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
  if (destination === undefined) disable(channel, book, reasonOf("importType", { type }));
  if (destination?.check !== undefined) disable(channel, book, reasonOf(destination.check));
  if (input.type === custom && input.base_url === "") disable(channel, book, reasonOf("importNoAddress"));
  if (input.type === baidu && channel.keys.some(({ key }) => key.includes("|") && !key.startsWith("bce-v3")))
    disable(channel, book, reasonOf("importBaiduKey"));
  if (input.type === tencent) disable(channel, book, reasonOf("importTencentKey"));
  if (input.type === bedrock && Object.keys(input.model_mapping).length === 0)
    disable(channel, book, reasonOf("importBedrockModels"));
}

export function bedrockKey(region: string, accessKey: string, secretKey: string): string {
  return [region, accessKey, secretKey].join("|");
}
