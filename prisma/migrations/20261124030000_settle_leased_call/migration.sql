-- Charges one call within a lease: the ledger's statement for a node that is not busy. It does what the batch
-- of `onlyLeasedText` (apps/server/src/domain/ledger/lease-statements.ts) does for any number of calls, in
-- less than half the time for one, because Postgres prepares many small plans faster than one large one.
-- ledger-single.test.ts compares the rows that both write.
--
-- `call` has the columns of the log row. Returns no row and changes nothing when the lease has another version
-- or is gone. Otherwise it returns the row `settled` of the call, and the row `lease` (or `stale`, when the key
-- is no longer eligible for leases) with the points that are left.
CREATE FUNCTION settle_leased_call(call json, lease_id text, lease_version int, lease_limited boolean)
RETURNS TABLE (ord int, verdict text, most bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  c record;
  payer record;
  key record;
  limits jsonb;
  points bigint;
  today date := (now() AT TIME ZONE site_time_zone())::date;
  this_week date := date_trunc('week', today)::date;
  this_month date := date_trunc('month', today)::date;
BEGIN
  IF NOT EXISTS (
    SELECT FROM reservations r WHERE r.request_id = lease_id AND r.version = lease_version AND r.version > 0
  ) THEN
    RETURN;
  END IF;

  SELECT * INTO c FROM json_to_record(call) AS r(
    created_at timestamptz, request_id text, type smallint, user_id int, username text, token_id int,
    token_name text, channel_id int, "group" text, backup_group boolean, model_name text, upstream_model text,
    endpoint text, is_stream boolean, outcome text, status smallint, error_code text, content text,
    content_facts jsonb, prompt_tokens bigint, completion_tokens bigint, quota bigint, estimated boolean,
    request_time int, first_byte_time int, source_ip text, price_version_id int, bill jsonb, attempts jsonb,
    billing_tag text, cache_hit boolean, session jsonb, cached_tokens bigint
  );

  -- The user's row is locked first, as in every statement of the ledger. All others that change this lease
  -- wait for it.
  UPDATE users u SET
    leased = u.leased - c.quota,
    quota = u.quota - c.quota,
    used_quota = u.used_quota + c.quota,
    request_count = u.request_count + CASE WHEN c.type = 2 THEN 1 ELSE 0 END,
    spent_day = GREATEST(u.spent_day, today),
    day_quota = CASE WHEN u.spent_day >= today THEN u.day_quota ELSE 0 END + c.quota,
    week_quota = CASE WHEN u.spent_day >= this_week THEN u.week_quota ELSE 0 END + c.quota,
    month_quota = CASE WHEN u.spent_day >= this_month THEN u.month_quota ELSE 0 END + c.quota
  WHERE u.id = c.user_id
  RETURNING u.status = 1 AND u.deleted_at IS NULL AS usable, u.budget, u."group" INTO payer;

  UPDATE tokens t SET
    leased = t.leased - CASE WHEN lease_limited THEN c.quota ELSE 0 END,
    used_quota = t.used_quota + c.quota,
    accessed_time = now(),
    remain_quota = CASE WHEN t.unlimited_quota THEN t.remain_quota ELSE t.remain_quota - c.quota END,
    spent_day = GREATEST(t.spent_day, today),
    spent_month = GREATEST(t.spent_month, this_month),
    day_quota = CASE WHEN t.spent_day >= today THEN t.day_quota ELSE 0 END + c.quota,
    week_quota = CASE WHEN t.spent_day >= this_week THEN t.week_quota ELSE 0 END + c.quota,
    month_quota = CASE WHEN t.spent_day >= this_month THEN t.month_quota ELSE 0 END + c.quota
  WHERE t.id = c.token_id
  RETURNING t.user_id, t.status = 1 AND t.deleted_at IS NULL AS usable, t.unlimited_quota, t.budget,
    t.setting -> 'rates' AS rates INTO key;

  UPDATE reservations r SET
    amount = r.amount - c.quota,
    token_amount = CASE WHEN lease_limited THEN r.amount - c.quota ELSE 0 END,
    version = r.version + 1
  WHERE r.request_id = lease_id AND r.version = lease_version
  RETURNING r.amount INTO points;
  IF NOT FOUND THEN
    -- The lease was released while this call waited for the user's row. The node tries again, and finds that.
    RAISE EXCEPTION 'lease % is gone', lease_id USING ERRCODE = 'serialization_failure';
  END IF;

  IF c.quota > 0 THEN
    INSERT INTO channel_charges (channel_id, quota) VALUES (c.channel_id, c.quota);
  END IF;

  INSERT INTO request_logs (created_at, request_id, type, user_id, username, token_id, token_name, channel_id,
    "group", backup_group, model_name, upstream_model, endpoint, is_stream, outcome, status, error_code, content,
    content_facts, prompt_tokens, completion_tokens, quota, estimated, request_time, first_byte_time, source_ip,
    price_version_id, bill, attempts, billing_tag, cache_hit, session)
  VALUES (c.created_at, c.request_id, c.type, c.user_id, c.username, c.token_id, c.token_name, c.channel_id,
    c."group", c.backup_group, c.model_name, c.upstream_model, c.endpoint, c.is_stream, c.outcome, c.status,
    c.error_code, c.content, c.content_facts, c.prompt_tokens, c.completion_tokens, c.quota, c.estimated,
    c.request_time, c.first_byte_time, c.source_ip, c.price_version_id, c.bill, c.attempts, c.billing_tag,
    c.cache_hit, c.session);

  INSERT INTO usage_hours AS h (hour, user_id, token_id, channel_id, model, "group", request_count, failed_count,
    quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time)
  VALUES (date_trunc('hour', c.created_at, 'UTC'), c.user_id, c.token_id, c.channel_id, c.model_name, c."group",
    CASE WHEN c.type = 2 THEN 1 ELSE 0 END, CASE WHEN c.type = 5 THEN 1 ELSE 0 END, c.quota, c.prompt_tokens,
    c.completion_tokens, c.cached_tokens, c.request_time, c.first_byte_time)
  ON CONFLICT (hour, user_id, token_id, channel_id, model, "group") DO UPDATE SET
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
  most := c.quota;
  RETURN NEXT;

  -- Accounts and keys with limits are reserved call by call. Their leases take no new calls.
  limits := COALESCE(payer.budget, (SELECT g.budget FROM user_groups g WHERE g.symbol = payer."group"));
  ord := 1;
  verdict := CASE
    WHEN payer.usable
      AND (limits IS NULL OR COALESCE(NULLIF((limits ->> 'daily_spend')::bigint, 0),
        NULLIF((limits ->> 'weekly_spend')::bigint, 0), NULLIF((limits ->> 'monthly_spend')::bigint, 0)) IS NULL)
      AND (c.token_id = 0 OR (key.usable AND key.user_id = c.user_id AND key.unlimited_quota <> lease_limited
        AND COALESCE(NULLIF((key.rates ->> 'daily_spend')::bigint, 0), NULLIF((key.budget ->> 'daily_spend')::bigint, 0),
          NULLIF((key.budget ->> 'weekly_spend')::bigint, 0), NULLIF((key.rates ->> 'monthly_spend')::bigint, 0),
          NULLIF((key.budget ->> 'monthly_spend')::bigint, 0)) IS NULL
        AND COALESCE((key.rates ->> 'concurrency')::int, 0) = 0))
    THEN 'lease' ELSE 'stale' END;
  most := points;
  RETURN NEXT;
END
$$;
