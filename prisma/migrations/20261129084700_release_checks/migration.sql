-- CreateTable
CREATE TABLE "release_checks" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "address" VARCHAR(500) NOT NULL,
    "etag" VARCHAR(500) NOT NULL DEFAULT '',
    "checked_at" TIMESTAMPTZ(3) NOT NULL,
    "version" VARCHAR(64) NOT NULL DEFAULT '',
    "name" VARCHAR(200) NOT NULL DEFAULT '',
    "notes" TEXT NOT NULL DEFAULT '',
    "url" VARCHAR(500) NOT NULL DEFAULT '',
    "published_at" TIMESTAMPTZ(3),
    "reason" TEXT NOT NULL DEFAULT '',
    "reason_facts" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "release_checks_pkey" PRIMARY KEY ("id")
);
