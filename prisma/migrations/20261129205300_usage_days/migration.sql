-- Rows of usage_hours are moved here by the job pack-usage-days, when their day has ended long enough ago. "hours" has an
-- array for each hour: the hour of the day and its counters, in the order of the columns. A single hour needs no counters,
-- because they are those of the day.
CREATE TABLE "usage_days" (
    "day" TIMESTAMPTZ(0) NOT NULL,
    "request_count" BIGINT NOT NULL,
    "failed_count" BIGINT NOT NULL,
    "quota" BIGINT NOT NULL,
    "prompt_tokens" BIGINT NOT NULL,
    "completion_tokens" BIGINT NOT NULL,
    "cached_tokens" BIGINT NOT NULL,
    "request_time" BIGINT NOT NULL,
    "first_byte_time" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "group" VARCHAR(50) NOT NULL,
    "hours" INTEGER[]
);

-- CreateIndex
CREATE INDEX "usage_days_user_id_day_idx" ON "usage_days"("user_id", "day");

-- CreateIndex
CREATE INDEX "usage_days_day_idx" ON "usage_days"("day");

CREATE STATISTICS "usage_days_paths" (ndistinct) ON "user_id", "token_id", "group", "model", "channel_id" FROM "usage_days";

-- Usage from one whole hour until another, by the hour. The planner sees the query of a caller and this one as one.
CREATE FUNCTION usage_by_hour(since timestamptz, until timestamptz) RETURNS TABLE ("hour" timestamptz, user_id int,
  token_id int, channel_id int, model varchar, "group" varchar, request_count bigint, failed_count bigint, quota bigint,
  prompt_tokens bigint, completion_tokens bigint, cached_tokens bigint, request_time bigint, first_byte_time bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT h."hour", h.user_id, h.token_id, h.channel_id, h.model, h."group", h.request_count, h.failed_count, h.quota,
    h.prompt_tokens, h.completion_tokens, h.cached_tokens, h.request_time, h.first_byte_time
  FROM usage_hours h WHERE h."hour" >= since AND h."hour" < until
  UNION ALL
  SELECT d.day + make_interval(hours => o.hour), d.user_id, d.token_id, d.channel_id, d.model, d."group",
    COALESCE(d.hours[i][2], d.request_count), COALESCE(d.hours[i][3], d.failed_count),
    COALESCE(d.hours[i][4], d.quota), COALESCE(d.hours[i][5], d.prompt_tokens),
    COALESCE(d.hours[i][6], d.completion_tokens), COALESCE(d.hours[i][7], d.cached_tokens),
    COALESCE(d.hours[i][8], d.request_time), COALESCE(d.hours[i][9], d.first_byte_time)
  FROM usage_days d CROSS JOIN LATERAL unnest(d.hours[:][1:1]) WITH ORDINALITY AS o(hour, i)
  WHERE d.day > since - interval '24 hours' AND d.day < until
    AND d.day + make_interval(hours => o.hour) >= since AND d.day + make_interval(hours => o.hour) < until
$$;

-- The same sums in fewer rows: a day of UTC that is within the period is one row.
CREATE FUNCTION usage_sums(since timestamptz, until timestamptz) RETURNS TABLE (user_id int, token_id int, channel_id int,
  model varchar, "group" varchar, request_count bigint, failed_count bigint, quota bigint, prompt_tokens bigint,
  completion_tokens bigint, cached_tokens bigint, request_time bigint, first_byte_time bigint)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT h.user_id, h.token_id, h.channel_id, h.model, h."group", h.request_count, h.failed_count, h.quota,
    h.prompt_tokens, h.completion_tokens, h.cached_tokens, h.request_time, h.first_byte_time
  FROM usage_hours h WHERE h."hour" >= since AND h."hour" < until
  UNION ALL
  SELECT d.user_id, d.token_id, d.channel_id, d.model, d."group", d.request_count, d.failed_count, d.quota,
    d.prompt_tokens, d.completion_tokens, d.cached_tokens, d.request_time, d.first_byte_time
  FROM usage_days d WHERE d.day >= since AND d.day <= until - interval '24 hours'
  UNION ALL
  -- Days in which the period begins or ends.
  SELECT d.user_id, d.token_id, d.channel_id, d.model, d."group",
    COALESCE(d.hours[i][2], d.request_count), COALESCE(d.hours[i][3], d.failed_count),
    COALESCE(d.hours[i][4], d.quota), COALESCE(d.hours[i][5], d.prompt_tokens),
    COALESCE(d.hours[i][6], d.completion_tokens), COALESCE(d.hours[i][7], d.cached_tokens),
    COALESCE(d.hours[i][8], d.request_time), COALESCE(d.hours[i][9], d.first_byte_time)
  FROM usage_days d CROSS JOIN LATERAL unnest(d.hours[:][1:1]) WITH ORDINALITY AS o(hour, i)
  WHERE d.day IN (NULLIF(date_trunc('day', since, 'UTC'), since), NULLIF(date_trunc('day', until, 'UTC'), until))
    AND d.day + make_interval(hours => o.hour) >= since AND d.day + make_interval(hours => o.hour) < until
$$;

-- Usage by user is read by period only, with the primary key. It is most of the rows.
CREATE INDEX "usage_totals_key_idx" ON "usage_totals" ("kind", "key", "span", "starts") WHERE "kind" <> 'user';
DROP INDEX "usage_totals_kind_key_span_starts_idx";
