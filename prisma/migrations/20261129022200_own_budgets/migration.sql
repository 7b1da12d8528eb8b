-- AlterTable
ALTER TABLE "users" ADD COLUMN     "own_month_limit" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "own_month_stops" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "own_month_warning" SMALLINT NOT NULL DEFAULT 0;

-- Calls of an account that stops at its own budget are reserved one by one, as with every limit on spending. Only that
-- condition differs from the previous version of this function.
CREATE OR REPLACE FUNCTION settle_call_in_lease(log request_logs, part smallint, cached_tokens bigint, lease_id text,
  lease_version int, lease_limited boolean)
RETURNS TABLE (ord int, verdict text, most bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  payer record;
  token record;
  points bigint;
BEGIN
  UPDATE reservations r SET
    charged = r.charged + log.quota,
    served = r.served + CASE WHEN log.type = 2 THEN 1 ELSE 0 END,
    ended = r.ended + 1,
    version = r.version + 1
  WHERE r.request_id = lease_id AND r.version = lease_version AND r.version > 0
  RETURNING r.amount - r.charged INTO points;
  IF NOT FOUND THEN
    RETURN;
  END IF;

  IF log.quota > 0 THEN
    INSERT INTO channel_charges (channel_id, quota) VALUES (log.channel_id, log.quota);
  END IF;

  -- The ID of a row is always generated.
  INSERT INTO request_logs OVERRIDING USER VALUE SELECT (log).*;

  INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
    quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
  VALUES (date_trunc('hour', log.created_at, 'UTC'), log.user_id, log.token_id, log.channel_id, log.model_name, log."group",
    CASE WHEN log.type = 2 THEN 1 ELSE 0 END, CASE WHEN log.type = 5 THEN 1 ELSE 0 END, log.quota, log.prompt_tokens,
    log.completion_tokens, cached_tokens, CASE WHEN log.type = 2 THEN log.request_time ELSE 0 END,
    CASE WHEN log.type = 2 THEN log.first_byte_time ELSE 0 END, part)
  ON CONFLICT (hour, user_id, token_id, channel_id, model, "group", part) DO UPDATE SET
    request_count = h.request_count + excluded.request_count,
    failed_count = h.failed_count + excluded.failed_count,
    quota = h.quota + excluded.quota,
    prompt_tokens = h.prompt_tokens + excluded.prompt_tokens,
    completion_tokens = h.completion_tokens + excluded.completion_tokens,
    cached_tokens = h.cached_tokens + excluded.cached_tokens,
    request_time = h.request_time + excluded.request_time,
    first_byte_time = h.first_byte_time + excluded.first_byte_time;

  ord := 0;
  verdict := 'settled';
  most := log.quota;
  RETURN NEXT;

  -- Limits on spending and on concurrent calls are exact only without leases.
  SELECT u.status = 1 AND u.deleted_at IS NULL AND (COALESCE(u.budget, g.budget)
      @? '$.keyvalue() ? (@.key like_regex "(_spend|concurrency)$" && @.value > 0)') IS NOT TRUE
    AND NOT (u.own_month_stops AND u.own_month_limit > 0) AS may_lease
  FROM users u LEFT JOIN user_groups g ON g.symbol = u."group"
  WHERE u.id = log.user_id INTO payer;
  SELECT t.user_id, t.unlimited_quota, t.status = 1 AND t.deleted_at IS NULL
    AND (t.budget @? '$.keyvalue() ? (@.key like_regex "(_spend|concurrency)$" && @.value > 0)') IS NOT TRUE
    AND (t.setting -> 'rates' @? '$.keyvalue() ? (@.key like_regex "(_spend|concurrency)$" && @.value > 0)') IS NOT TRUE AS may_lease
  FROM tokens t WHERE t.id = log.token_id INTO token;
  ord := 1;
  verdict := CASE WHEN payer.may_lease AND (log.token_id = 0
    OR (token.may_lease AND token.user_id = log.user_id AND token.unlimited_quota <> lease_limited))
    THEN 'lease' ELSE 'stale' END;
  most := points;
  RETURN NEXT;
END
$$;
