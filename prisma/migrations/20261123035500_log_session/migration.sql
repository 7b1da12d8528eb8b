-- What an agent sends of its session. Null for calls that name none.
ALTER TABLE "request_logs" ADD COLUMN "session" JSONB;
