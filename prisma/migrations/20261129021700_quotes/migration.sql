-- Prices that calls will not exceed. One call uses a quote; what it costs above it is the operator's.
CREATE TABLE "quotes" (
    "id" VARCHAR(40) NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "amount" BIGINT NOT NULL,
    "input" BIGINT NOT NULL,
    "output" BIGINT NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "request_id" VARCHAR(64),
    "charged" BIGINT,
    "excess" BIGINT,

    CONSTRAINT "quotes_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "quotes_user_id_expires_at_idx" ON "quotes"("user_id", "expires_at");
CREATE INDEX "quotes_request_id_idx" ON "quotes"("request_id");
CREATE INDEX "quotes_expires_at_idx" ON "quotes"("expires_at");
