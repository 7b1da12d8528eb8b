-- AlterTable
ALTER TABLE "reservations" ADD COLUMN     "derived_keys" VARCHAR(32)[];

-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "derivation_hash" BYTEA;

-- CreateTable
CREATE TABLE "derived_keys" (
    "id" VARCHAR(32) NOT NULL,
    "token_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "parent_id" VARCHAR(32),
    "root_id" VARCHAR(32) NOT NULL,
    "label" VARCHAR(40) NOT NULL DEFAULT '',
    "quota" BIGINT,
    "reserved" BIGINT NOT NULL DEFAULT 0,
    "spent" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "derived_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "derived_keys_token_id_created_at_idx" ON "derived_keys"("token_id", "created_at");

-- CreateIndex
CREATE INDEX "derived_keys_root_id_idx" ON "derived_keys"("root_id");

-- CreateIndex
CREATE INDEX "derived_keys_expires_at_idx" ON "derived_keys"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "tokens_derivation_hash_key" ON "tokens"("derivation_hash");

-- Every call of a derived key updates its row, and no update changes an index.
ALTER TABLE "derived_keys" SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);

-- The derived key of a call: its ID and its label. Other calls are not in the index. On the table only, which locks
-- nobody out; days that are there get it from the job complete-indexes.
ALTER TABLE "request_logs" ADD COLUMN "derived_key" JSONB;
CREATE INDEX "request_logs_derived_key_idx" ON ONLY "request_logs" (("derived_key" ->> 'id'), "created_at" DESC, "id" DESC)
  WHERE "derived_key" IS NOT NULL;
