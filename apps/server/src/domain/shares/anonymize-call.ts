import type { LogRow } from "@gateway/shared/usage/log";
import { numberChannels } from "#domain/logs/number-channels.ts";

/**
 * Returns a call as everyone may see it: its figures, bill and route, without names and ids of accounts, keys, groups
 * and channels. The log's text may quote the request or
 * the provider, so it belongs to the content. Fields are listed one by one: a new one of the log is not public.
 */
export function anonymizeCall(call: LogRow, { withContent }: { withContent: boolean }): LogRow {
  return {
    created_at: call.created_at,
    request_id: call.request_id,
    type: call.type,
    model_name: call.model_name,
    endpoint: call.endpoint,
    is_stream: call.is_stream,
    outcome: call.outcome,
    status: call.status,
    error_code: call.error_code,
    prompt_tokens: call.prompt_tokens,
    completion_tokens: call.completion_tokens,
    quota: call.quota,
    estimated: call.estimated,
    request_time: call.request_time,
    first_byte_time: call.first_byte_time,
    backup_group: call.backup_group,
    cache_hit: call.cache_hit,
    bill: call.bill,
    content: withContent ? call.content : "",
    content_facts: withContent ? call.content_facts : [],
    attempts: call.attempts === null ? null : numberChannels(call.attempts),
    id: "",
    user_id: 0,
    username: "",
    token_id: 0,
    token_name: "",
    channel_id: 0,
    channel_name: "",
    group: "",
    upstream_model: "",
    source_ip: "",
    billing_tag: "",
    session: null,
    derived_key: null,
    paused: null,
    skipped: null,
  };
}
