-- CreateTable
CREATE TABLE "channel_charges" (
    "id" BIGSERIAL NOT NULL,
    "channel_id" INTEGER NOT NULL,
    "quota" BIGINT NOT NULL,

    CONSTRAINT "channel_charges_pkey" PRIMARY KEY ("id")
);
