-- Facts of a call in a short form, for days that have ended: apps/server/src/domain/logs/compact-days.ts. Where they are
-- null, "bill" and "attempts" have them.
ALTER TABLE "request_logs" ADD COLUMN "bill_facts" TEXT, ADD COLUMN "attempt_facts" TEXT;
