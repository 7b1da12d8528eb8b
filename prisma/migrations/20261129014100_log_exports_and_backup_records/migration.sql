-- CreateTable
CREATE TABLE "log_export_hours" (
    "hour" TIMESTAMPTZ(0) NOT NULL,
    "rows" BIGINT NOT NULL,
    "files" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "exported_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "log_export_hours_pkey" PRIMARY KEY ("hour")
);

-- CreateTable
CREATE TABLE "log_export_progress" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "exported_until" TIMESTAMPTZ(0) NOT NULL,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "failed_at" TIMESTAMPTZ(3),
    "reason" TEXT NOT NULL DEFAULT '',
    "reason_facts" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "log_export_progress_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "backup_records" (
    "place" TEXT NOT NULL,
    "name" VARCHAR(100) NOT NULL,
    "version" VARCHAR(64) NOT NULL,
    "verified_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "backup_records_pkey" PRIMARY KEY ("place","name")
);
