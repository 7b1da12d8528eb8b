-- When each recurring job is due, and the node that runs it now.
CREATE TABLE "job_schedules" (
    "name" VARCHAR(64) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "node_id" VARCHAR(64),
    "alive_at" TIMESTAMPTZ(3),

    CONSTRAINT "job_schedules_pkey" PRIMARY KEY ("name")
);
