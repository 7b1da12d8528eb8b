-- One user's calls of one model, the commonest search of one's own log: without this a model that a busy user never
-- called costs a walk over everything that user ever did.
CREATE INDEX "request_logs_user_model_idx" ON "request_logs" ("user_id", "model_name", "created_at" DESC, "id" DESC);
