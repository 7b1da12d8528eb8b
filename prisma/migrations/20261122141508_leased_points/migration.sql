-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "leased" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "leased" BIGINT NOT NULL DEFAULT 0;

-- Leases were part of what is reserved.
UPDATE "users" u SET "reserved" = u."reserved" - s.points, "leased" = s.points
FROM (SELECT "user_id", sum("amount")::bigint AS points FROM "reservations" WHERE "version" > 0 GROUP BY 1) s
WHERE u."id" = s."user_id";
UPDATE "tokens" t SET "reserved" = t."reserved" - s.points, "leased" = s.points
FROM (SELECT "token_id", sum("token_amount")::bigint AS points FROM "reservations" WHERE "version" > 0 GROUP BY 1) s
WHERE t."id" = s."token_id";
