import type { ChannelRow } from "@gateway/shared/channels/channel";
import { z } from "zod";
import { joinWithCommas, jsonText } from "./older.ts";

/** A channel row in One Hub's format. Fields that One Hub does not have keep our names. */
export const OlderChannel = z.looseObject({
  id: z.int(),
  type: z.int(),
  /** Keys never leave the server. */
  key: z.literal(""),
  status: z.int(),
  name: z.string(),
  weight: z.int(),
  created_time: z.int(),
  test_time: z.int(),
  response_time: z.int(),
  base_url: z.string(),
  other: z.string(),
  balance: z.number(),
  balance_updated_time: z.int(),
  /** Separated by commas, as are the groups. */
  models: z.string(),
  group: z.string(),
  tag: z.string(),
  used_quota: z.int(),
  /** JSON; "" when empty, as in the next two. */
  model_mapping: z.string(),
  model_headers: z.string(),
  custom_parameter: z.string(),
  priority: z.int(),
  proxy: z.string(),
  test_model: z.string(),
  only_chat: z.boolean(),
  pre_cost: z.int(),
  compatible_response: z.boolean(),
  allow_extra_body: z.boolean(),
  /** Absent when there is none. */
  disabled_stream: z.array(z.string()).optional(),
  plugin: z.record(z.string(), z.record(z.string(), z.unknown())).nullable(),
});

export function olderChannel(row: ChannelRow): z.output<typeof OlderChannel> {
  const { groups, models, disabled_stream, ...rest } = row;
  return {
    ...rest,
    key: "",
    models: joinWithCommas(models),
    group: joinWithCommas(groups),
    model_mapping: jsonText(row.model_mapping),
    model_headers: jsonText(row.model_headers),
    custom_parameter: jsonText(row.custom_parameter),
    test_time: row.test_time ?? 0,
    balance_updated_time: row.balance_updated_time ?? 0,
    status_time: row.status_time ?? 0,
    ...(disabled_stream.length === 0 ? {} : { disabled_stream }),
    plugin: Object.keys(row.plugin).length === 0 ? null : row.plugin,
  };
}

/** Stands for a channel of which only id and name are known. */
export const emptyOlderChannel: z.output<typeof OlderChannel> = {
  id: 0,
  type: 0,
  key: "",
  status: 0,
  name: "",
  weight: 0,
  created_time: 0,
  test_time: 0,
  response_time: 0,
  base_url: "",
  other: "",
  balance: 0,
  balance_updated_time: 0,
  models: "",
  group: "",
  tag: "",
  used_quota: 0,
  model_mapping: "",
  model_headers: "",
  custom_parameter: "",
  priority: 0,
  proxy: "",
  test_model: "",
  only_chat: false,
  pre_cost: 0,
  compatible_response: false,
  allow_extra_body: false,
  plugin: null,
};
