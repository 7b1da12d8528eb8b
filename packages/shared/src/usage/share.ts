/** Links with which a call is readable without signing in. */
import { z } from "zod";
import { Page, PageQuery, UnixTime } from "#paging.ts";
import { LogBodies, LogRow } from "./log.ts";

/** Hours until a link expires. */
export const shareHours = [1, 24, 168] as const;

/** Body of POST /api/log/:id/share. */
export const ShareInput = z.object({
  hours: z.literal(shareHours).default(24),
  /** Also shows the stored request and response. */
  with_bodies: z.boolean().default(false),
});
export type ShareInput = z.output<typeof ShareInput>;

/** A link that has neither expired nor been revoked. The secret in its address is not stored. */
export const ShareRow = z.object({
  id: z.int(),
  request_id: z.string(),
  with_bodies: z.boolean(),
  created_time: UnixTime,
  expires_at: UnixTime,
});
export type ShareRow = z.infer<typeof ShareRow>;

/** Response to the creation of a link: its only copy of the secret. The address is /share/<secret>. */
export const CreatedShare = ShareRow.extend({ secret: z.string() });
export type CreatedShare = z.infer<typeof CreatedShare>;

export const ShareQuery = PageQuery.pick({ page: true, size: true });
export const SharePage = Page(ShareRow);
export type SharePage = z.infer<typeof SharePage>;

/** Response of GET /api/shared_call/:secret. The call has no names of accounts, keys, groups and channels. */
export const SharedCall = z.object({
  call: LogRow,
  /** Null unless the link shows them and they are still stored. */
  bodies: LogBodies.nullable(),
  expires_at: UnixTime,
});
export type SharedCall = z.infer<typeof SharedCall>;
