-- AlterTable
ALTER TABLE "tokens" ADD COLUMN     "previous_hash" BYTEA,
ADD COLUMN     "previous_hint" VARCHAR(24) NOT NULL DEFAULT '',
ADD COLUMN     "previous_until" TIMESTAMPTZ(3);

-- CreateIndex
CREATE UNIQUE INDEX "tokens_previous_hash_key" ON "tokens"("previous_hash");
