ALTER TABLE "channels" ADD COLUMN "responses_websocket" BOOLEAN NOT NULL DEFAULT true;
