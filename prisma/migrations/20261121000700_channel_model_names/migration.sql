-- Channels that offer some models are read from the index alone.
-- DropIndex
DROP INDEX "channel_models_model_idx";

-- CreateIndex
CREATE INDEX "channel_models_model_channel_id_idx" ON "channel_models"("model", "channel_id");
