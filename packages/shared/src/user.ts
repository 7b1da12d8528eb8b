import { z } from "zod";
import { Points, UnixTime } from "./paging.ts";

export const UserRow = z.object({
  id: z.int(),
  username: z.string(),
  display_name: z.string(),
  role: z.int(),
  status: z.int(),
  email: z.string().nullable(),
  avatar_url: z.string(),
  group: z.string(),
  quota: Points,
  reserved: Points,
  used_quota: Points,
  request_count: z.int(),
  quota_expires_at: UnixTime.nullable(),
  aff_code: z.string(),
  aff_count: z.int(),
  aff_quota: Points,
  created_time: UnixTime,
  last_login_time: UnixTime.nullable(),
  last_login_ip: z.string(),
});
export type UserRow = z.infer<typeof UserRow>;
