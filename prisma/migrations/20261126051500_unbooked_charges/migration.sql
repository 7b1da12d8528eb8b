-- Calls in a lease are charged in the row of the lease, which one node alone writes, so that nodes do not wait
-- for the row of an account that all of them charge. Until they are booked to the account and its key,
-- `charged` is a part of `amount`, and counts as leased.
ALTER TABLE reservations
  ADD COLUMN charged BIGINT NOT NULL DEFAULT 0,
  ADD COLUMN served INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN ended INTEGER NOT NULL DEFAULT 0,
  ADD CONSTRAINT reservations_charged_check CHECK (charged >= 0 AND charged <= amount);

-- Each node adds to rows of its own.
ALTER TABLE usage_hours ADD COLUMN part SMALLINT NOT NULL DEFAULT 0;
ALTER TABLE usage_hours DROP CONSTRAINT usage_hours_pkey;
ALTER TABLE usage_hours ADD CONSTRAINT usage_hours_pkey
  PRIMARY KEY (hour, user_id, token_id, channel_id, model, "group", part);

-- A call that ends, as the parameter of the ledger's statements: the columns of its log row, and what the
-- statements need beyond them. apps/server/src/domain/ledger/ledger-rows.ts has the same columns in the same order.
CREATE TYPE ledger_row AS (
  ord int, part smallint, lease text, lease_held bigint, cached_tokens bigint, held_in_part boolean,
  created_at timestamptz, request_id text, type smallint, user_id int, username text, token_id int,
  token_name text, channel_id int, "group" text, backup_group boolean, model_name text, upstream_model text,
  endpoint text, is_stream boolean, outcome text, status smallint, error_code text, content text,
  content_facts jsonb, prompt_tokens bigint, completion_tokens bigint, quota bigint, estimated boolean,
  request_time int, first_byte_time int, source_ip text, price_version_id int, bill jsonb, attempts jsonb,
  billing_tag text, cache_hit boolean, session jsonb
);

-- Charges one call within a lease: the ledger's statement for a node that is not busy. It does what the batch
-- of `onlyLeasedText` (apps/server/src/domain/ledger/lease-statements.ts) does for any number of calls, in
-- less than half the time for one, because Postgres prepares many small plans faster than one large one.
-- ledger-single.test.ts compares the rows that both write.
--
-- Returns no row and changes nothing when the lease has another version or is gone. Otherwise it returns the row
-- `settled` of the call, and the row `lease` (or `stale`, when the key is no longer eligible for leases) with the
-- points that are left.
DROP FUNCTION settle_leased_call(json, text, int, boolean);
CREATE FUNCTION settle_leased_call(c ledger_row, lease_id text, lease_version int, lease_limited boolean)
RETURNS TABLE (ord int, verdict text, most bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  payer record;
  key record;
  limits jsonb;
  points bigint;
BEGIN
  UPDATE reservations r SET
    charged = r.charged + c.quota,
    served = r.served + CASE WHEN c.type = 2 THEN 1 ELSE 0 END,
    ended = r.ended + 1,
    version = r.version + 1
  WHERE r.request_id = lease_id AND r.version = lease_version AND r.version > 0
  RETURNING r.amount - r.charged INTO points;
  IF NOT FOUND THEN
    RETURN;
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
    quota, prompt_tokens, completion_tokens, cached_tokens, request_time, first_byte_time, part)
  VALUES (date_trunc('hour', c.created_at, 'UTC'), c.user_id, c.token_id, c.channel_id, c.model_name, c."group",
    CASE WHEN c.type = 2 THEN 1 ELSE 0 END, CASE WHEN c.type = 5 THEN 1 ELSE 0 END, c.quota, c.prompt_tokens,
    c.completion_tokens, c.cached_tokens, c.request_time, c.first_byte_time, COALESCE(c.part, 0))
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
  most := c.quota;
  RETURN NEXT;

  SELECT u.status = 1 AND u.deleted_at IS NULL AS usable, u.budget, u."group" FROM users u
  WHERE u.id = c.user_id INTO payer;
  SELECT t.user_id, t.status = 1 AND t.deleted_at IS NULL AS usable, t.unlimited_quota, t.budget,
    t.setting -> 'rates' AS rates
  FROM tokens t WHERE t.id = c.token_id INTO key;

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
