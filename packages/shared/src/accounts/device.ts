/** Device sign-in of command-line tools (RFC 8628), as the console sees it. */
import { z } from "zod";
import { UnixTime } from "#paging.ts";
import { TokenInput } from "./token.ts";

/** A device that waits for its user, found by the code that it shows. */
export const WaitingDevice = z.object({
  /** The name that the device gave itself. */
  device_name: z.string(),
  /** Address that asked for the code. */
  ip: z.string(),
  created_time: UnixTime,
  expires_time: UnixTime,
});
export type WaitingDevice = z.infer<typeof WaitingDevice>;

/** Body of an approval: the token that the device gets. */
export const DeviceApproval = TokenInput;
