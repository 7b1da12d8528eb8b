-- CreateTable
CREATE TABLE "channel_model_checks" (
    "channel_id" INTEGER NOT NULL,
    "checked_time" TIMESTAMPTZ(3) NOT NULL,
    "outcome" VARCHAR(16) NOT NULL,
    "message" TEXT NOT NULL DEFAULT '',
    "message_facts" JSONB NOT NULL DEFAULT '[]',
    "source" VARCHAR(64) NOT NULL DEFAULT '',
    "seen" TEXT[] DEFAULT ARRAY[]::TEXT[],

    CONSTRAINT "channel_model_checks_pkey" PRIMARY KEY ("channel_id")
);

-- CreateTable
CREATE TABLE "channel_model_changes" (
    "channel_id" INTEGER NOT NULL,
    "model" VARCHAR(160) NOT NULL,
    "kind" VARCHAR(16) NOT NULL,
    "ignored" BOOLEAN NOT NULL DEFAULT false,
    "found_time" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "channel_model_changes_pkey" PRIMARY KEY ("channel_id","model")
);

-- AddForeignKey
ALTER TABLE "channel_model_checks" ADD CONSTRAINT "channel_model_checks_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "channel_model_changes" ADD CONSTRAINT "channel_model_changes_channel_id_fkey" FOREIGN KEY ("channel_id") REFERENCES "channels"("id") ON DELETE CASCADE ON UPDATE CASCADE;
