-- CreateTable
CREATE TABLE "imports" (
    "id" SERIAL NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "product" VARCHAR(16) NOT NULL,
    "origin" VARCHAR(300) NOT NULL,
    "report" JSONB NOT NULL,

    CONSTRAINT "imports_pkey" PRIMARY KEY ("id")
);
