-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "checked_at" TIMESTAMPTZ(3),
ADD COLUMN     "paid_at" TIMESTAMPTZ(3),
ADD COLUMN     "session" VARCHAR(300) NOT NULL DEFAULT '',
ADD COLUMN     "trouble" VARCHAR(500) NOT NULL DEFAULT '',
ALTER COLUMN "gateway_no" DROP NOT NULL,
ALTER COLUMN "gateway_no" DROP DEFAULT,
ALTER COLUMN "gateway_no" SET DATA TYPE VARCHAR(200);

-- What had no number of the gateway's yet had an empty one, and those would be equal.
UPDATE "orders" SET "gateway_no" = NULL WHERE "gateway_no" = '';

-- CreateIndex
CREATE UNIQUE INDEX "orders_gateway_id_gateway_no_key" ON "orders"("gateway_id", "gateway_no");
