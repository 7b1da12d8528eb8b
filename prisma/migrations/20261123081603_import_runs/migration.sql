-- CreateTable
CREATE TABLE "import_runs" (
    "id" SERIAL NOT NULL,
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "beat_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_time" TIMESTAMPTZ(3),
    "status" VARCHAR(16) NOT NULL,
    "product" VARCHAR(16) NOT NULL,
    "origin" VARCHAR(300) NOT NULL,
    "dry_run" BOOLEAN NOT NULL,
    "log_days" INTEGER NOT NULL,
    "prices" JSONB,
    "token_hash" BYTEA NOT NULL,
    "progress" JSONB NOT NULL DEFAULT '[]',
    "report" JSONB,
    "failure" JSONB,

    CONSTRAINT "import_runs_pkey" PRIMARY KEY ("id")
);
