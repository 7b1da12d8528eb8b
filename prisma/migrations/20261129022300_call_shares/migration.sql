-- CreateTable
CREATE TABLE "call_shares" (
    "id" SERIAL NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "user_id" INTEGER NOT NULL,
    "log_id" BIGINT NOT NULL,
    "request_id" VARCHAR(64) NOT NULL,
    "with_bodies" BOOLEAN NOT NULL DEFAULT false,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "call_shares_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "call_shares_secret_hash_key" ON "call_shares"("secret_hash");

-- CreateIndex
CREATE INDEX "call_shares_user_id_idx" ON "call_shares"("user_id");
