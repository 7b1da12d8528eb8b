-- What a call was booked under, as its token said then; and whether its answer was one that had been given before.
ALTER TABLE "request_logs"
  ADD COLUMN "billing_tag" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "cache_hit" BOOLEAN NOT NULL DEFAULT FALSE;

-- Few calls carry a tag.
CREATE INDEX "request_logs_billing_tag_idx" ON "request_logs" ("billing_tag", "created_at" DESC, "id" DESC)
  WHERE "billing_tag" <> '';
