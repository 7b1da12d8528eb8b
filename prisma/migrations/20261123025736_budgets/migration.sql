-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "budget" JSONB,
ADD COLUMN     "week_quota" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "user_groups" ADD COLUMN     "budget" JSONB;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "budget" JSONB,
ADD COLUMN     "day_quota" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "month_quota" BIGINT NOT NULL DEFAULT 0,
ADD COLUMN     "spent_day" DATE NOT NULL DEFAULT '1970-01-01'::date,
ADD COLUMN     "week_quota" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "budget_notices" (
    "target" VARCHAR(8) NOT NULL,
    "target_id" INTEGER NOT NULL,
    "period" VARCHAR(8) NOT NULL,
    "since" DATE NOT NULL,

    CONSTRAINT "budget_notices_pkey" PRIMARY KEY ("target","target_id","period","since")
);

-- CreateIndex
CREATE INDEX "budget_notices_since_idx" ON "budget_notices"("since");

-- The time zone of the site. Any value that Postgres cannot take counts as UTC: no setting may stop the ledger.
CREATE FUNCTION site_time_zone() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  zone text;
BEGIN
  SELECT value #>> '{}' INTO zone FROM options WHERE key = 'TimeZone';
  IF zone IS NULL THEN
    RETURN 'UTC';
  END IF;
  PERFORM now() AT TIME ZONE zone;
  RETURN zone;
EXCEPTION WHEN invalid_parameter_value THEN
  RETURN 'UTC';
END
$$;

-- What was spent in the day, week and month that are now.
UPDATE "users" u SET "spent_day" = s.day, "day_quota" = s.today, "week_quota" = s.week, "month_quota" = s.month
FROM (
  SELECT user_id, (now() AT TIME ZONE 'UTC')::date AS day,
    COALESCE(sum(quota) FILTER (WHERE hour >= date_trunc('day', now(), 'UTC')), 0)::bigint AS today,
    COALESCE(sum(quota) FILTER (WHERE hour >= date_trunc('week', now(), 'UTC')), 0)::bigint AS week,
    COALESCE(sum(quota) FILTER (WHERE hour >= date_trunc('month', now(), 'UTC')), 0)::bigint AS month
  FROM "usage_hours"
  WHERE hour >= LEAST(date_trunc('week', now(), 'UTC'), date_trunc('month', now(), 'UTC'))
  GROUP BY user_id
) s
WHERE u."id" = s.user_id;
UPDATE "tokens" t SET "week_quota" = s.week
FROM (
  SELECT token_id, sum(quota)::bigint AS week FROM "usage_hours"
  WHERE hour >= date_trunc('week', now(), 'UTC') GROUP BY token_id
) s
WHERE t."id" = s.token_id;
