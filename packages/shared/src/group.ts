import { z } from "zod";

/** A user group as the console needs it: GET /api/user_group_map, by symbol. */
export const UserGroupRow = z.object({
  id: z.int(),
  symbol: z.string(),
  name: z.string(),
  ratio: z.number(),
  public: z.boolean(),
  enable: z.boolean(),
  api_rate: z.int(),
});
export type UserGroupRow = z.infer<typeof UserGroupRow>;

export const UserGroupMap = z.record(z.string(), UserGroupRow);
export type UserGroupMap = z.infer<typeof UserGroupMap>;
