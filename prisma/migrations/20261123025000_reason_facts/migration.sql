-- Why something happened, as facts: readers get the text in their language. Rows of earlier versions keep their text.
ALTER TABLE "channels" ADD COLUMN "status_facts" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "channel_keys" ADD COLUMN "status_facts" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "channel_events" ADD COLUMN "reason_facts" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "channel_run_items" ADD COLUMN "message_facts" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "ledger_entries" ADD COLUMN "reason_facts" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "price_syncs" ADD COLUMN "error_facts" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "notices" ADD COLUMN "reason_facts" JSONB NOT NULL DEFAULT '[]';

-- Null for most calls: only failures and entries about accounts have them.
ALTER TABLE "request_logs" ADD COLUMN "content_facts" JSONB;
