-- Short-lived keys with which a browser opens a realtime session, made with a token.
CREATE TABLE "realtime_secrets" (
    "key_hash" BYTEA NOT NULL,
    "token_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "session" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "realtime_secrets_pkey" PRIMARY KEY ("key_hash")
);

CREATE INDEX "realtime_secrets_token_id_idx" ON "realtime_secrets"("token_id");
CREATE INDEX "realtime_secrets_expires_at_idx" ON "realtime_secrets"("expires_at");
