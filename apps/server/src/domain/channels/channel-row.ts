import type { ChannelInput } from "@gateway/shared/channel";

/** A channel as a test call or a model listing needs it, stored or not yet, with one key in the clear. */
export interface ChannelForTest extends Omit<ChannelInput, "key"> {
  /** 0 when it is not stored. */
  id: number;
  /** "" for providers without credentials. */
  key: string;
}
