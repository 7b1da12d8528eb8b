-- CreateTable
CREATE TABLE "background_responses" (
    "request_id" VARCHAR(64) NOT NULL,
    "response_id" TEXT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "token_id" INTEGER NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "channel_key_id" INTEGER,
    "call" TEXT NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "poll_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "background_responses_pkey" PRIMARY KEY ("request_id")
);

-- CreateIndex
CREATE INDEX "background_responses_poll_at_idx" ON "background_responses"("poll_at");

-- CreateIndex
CREATE INDEX "background_responses_response_id_idx" ON "background_responses"("response_id");
