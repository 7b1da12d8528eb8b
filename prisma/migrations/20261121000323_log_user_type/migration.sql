-- One user's entries that are no charges: few among many, so they need a way of their own.
CREATE INDEX "request_logs_user_type_idx" ON "request_logs" ("user_id", "type", "created_at" DESC, "id" DESC) WHERE "type" <> 2;
