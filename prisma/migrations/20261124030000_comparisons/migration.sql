-- CreateTable
CREATE TABLE "comparisons" (
    "id" SERIAL NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "report" JSONB NOT NULL,

    CONSTRAINT "comparisons_pkey" PRIMARY KEY ("id")
);
