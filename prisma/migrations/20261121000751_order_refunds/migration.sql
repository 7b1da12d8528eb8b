-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "pay_kind" VARCHAR(8) NOT NULL DEFAULT '',
ADD COLUMN     "pay_url" VARCHAR(4000) NOT NULL DEFAULT '',
ADD COLUMN     "refund_reason" VARCHAR(300) NOT NULL DEFAULT '',
ADD COLUMN     "refunded_at" TIMESTAMPTZ(3),
ADD COLUMN     "trouble_facts" JSONB NOT NULL DEFAULT '{}';
