/** A session of an agent, computed from its calls in the log. */
import { z } from "zod";
import { PageQuery, Points, queryInt, UnixTime } from "#paging.ts";
import { LogQuery } from "./log.ts";

/** Query of GET /api/log/session. */
export const AgentSessionQuery = z.object({
  id: LogQuery.shape.session.unwrap().min(1),
  /** For administrators: whose session it is. 0 = the account that used this id last. */
  user_id: queryInt(z.int().min(0).max(2_147_483_647)).default(0),
});
export type AgentSessionQuery = z.infer<typeof AgentSessionQuery>;

/** What the provider's prompt cache did, in tokens, and its effect on the charge. */
export const CacheSums = z.object({
  /** Input tokens, cached ones included. */
  input: z.int(),
  /** Input tokens that were read from the cache. */
  cached: z.int(),
  /** Points that the cached tokens would have cost more at the price of other input. */
  saved: Points,
  /** Points that writing to the cache cost more than other input. */
  write_extra: Points,
});
export type CacheSums = z.infer<typeof CacheSums>;

/** A call on another channel than the previous call of the same agent and model. */
export const ChannelMove = z.object({
  request_id: z.string(),
  created_at: UnixTime,
  model_name: z.string(),
  from_channel_id: z.int(),
  from_channel_name: z.string(),
  to_channel_id: z.int(),
  to_channel_name: z.string(),
  /** Input tokens that the previous share of cached input would have read from the cache. */
  lost: z.int(),
  /** Points that these tokens cost more. */
  cost: Points,
});
export type ChannelMove = z.infer<typeof ChannelMove>;

const Moves = z.object({
  count: z.int(),
  /** Points. */
  cost: Points,
});

const CallSums = CacheSums.extend({
  calls: z.int(),
  /** Calls that failed, among `calls`. */
  failed: z.int(),
  output: z.int(),
  quota: Points,
});
export type CallSums = z.infer<typeof CallSums>;

export const SessionAgent = CallSums.extend({
  /** "" = calls without an agent id. */
  agent: z.string(),
  /** "" = no parent named. */
  parent: z.string(),
  first_at: UnixTime,
  last_at: UnixTime,
});
export type SessionAgent = z.infer<typeof SessionAgent>;

/** GET /api/log/session */
export const AgentSession = z.object({
  id: z.string(),
  user_id: z.int(),
  username: z.string(),
  /** The first question, from a stored request that the reader may see; "" without one. */
  title: z.string(),
  first_at: UnixTime,
  last_at: UnixTime,
  totals: CallSums,
  /** False: only the newest 20,000 calls were read. */
  complete: z.boolean(),
  /** In order of their first call; at most 200. */
  agents: z.array(SessionAgent),
  /** By charge; at most 50. */
  models: z.array(CallSums.extend({ name: z.string() })),
  /** For administrators; null for others. */
  channels: z.array(CallSums.extend({ id: z.int(), name: z.string() })).nullable(),
  /** Most frequent first; at most 20. */
  errors: z.array(z.object({ error_code: z.string(), count: z.int() })),
  moves: Moves,
  /** The most expensive moves, at most 20. For administrators; null for others. */
  move_list: z.array(ChannelMove).nullable(),
});
export type AgentSession = z.infer<typeof AgentSession>;

/** Query of GET /api/log/sessions. */
export const SessionQuery = z.object({
  cursor: LogQuery.shape.cursor,
  size: PageQuery.shape.size,
  /** Administrators only; otherwise ignored. */
  username: LogQuery.shape.username,
});
export type SessionQuery = z.infer<typeof SessionQuery>;

/** A session in a list. */
export const AgentSessionRow = z.object({
  id: z.string(),
  user_id: z.int(),
  username: z.string(),
  /** See `AgentSession`. */
  title: z.string(),
  first_at: UnixTime,
  last_at: UnixTime,
  /** The most used model. */
  model_name: z.string(),
  /** Number of models. */
  models: z.int(),
  /** The token of the newest call. */
  token_name: z.string(),
  /** Agents, the main one included. */
  agents: z.int(),
  calls: z.int(),
  failed: z.int(),
  input: z.int(),
  output: z.int(),
  quota: Points,
  /** False: only the newest 5,000 calls were counted. */
  complete: z.boolean(),
});
export type AgentSessionRow = z.infer<typeof AgentSessionRow>;

/** Sessions by their newest call. `next` and `searched_until` as in `LogPage`. */
export const SessionPage = z.object({
  data: z.array(AgentSessionRow),
  next: z.string().nullable(),
  searched_until: UnixTime.optional(),
});
export type SessionPage = z.infer<typeof SessionPage>;

/** A call of a session. */
export const SessionCall = z.object({
  request_id: z.string(),
  /** Unix milliseconds of its end. */
  ended_at: z.number(),
  /** Milliseconds. */
  duration: z.int(),
  /** "" = the main agent. */
  agent: z.string(),
  model_name: z.string(),
  /** For administrators; 0 and "" for others. */
  channel_id: z.int(),
  channel_name: z.string(),
  input: z.int(),
  cached: z.int(),
  output: z.int(),
  quota: Points,
  failed: z.boolean(),
  error_code: z.string(),
  /** Used another channel than the previous call of the same agent and model. */
  moved: z.boolean(),
  /** Its request and response are stored, and the reader may see them. */
  stored: z.boolean(),
});
export type SessionCall = z.infer<typeof SessionCall>;

/** GET /api/log/session/calls */
export const SessionCalls = z.object({
  /** In the order of their end; at most 5,000, the newest. */
  data: z.array(SessionCall),
  /** False: there are older calls. */
  complete: z.boolean(),
});
export type SessionCalls = z.infer<typeof SessionCalls>;

/** Effect of the prompt cache on the newest calls of a user or a channel within 30 days. */
export const CacheEffect = CacheSums.extend({
  calls: z.int(),
  /** False: only the newest 10,000 calls were read. */
  complete: z.boolean(),
  /** Time of the oldest call that was read; 0 without one. */
  since: UnixTime,
  /** To this channel, or of this user's sessions. */
  moves: Moves,
});
export type CacheEffect = z.infer<typeof CacheEffect>;
