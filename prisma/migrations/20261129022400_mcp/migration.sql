-- CreateTable
CREATE TABLE "mcp_servers" (
    "id" SERIAL NOT NULL,
    "name" VARCHAR(32) NOT NULL,
    "description" VARCHAR(500) NOT NULL DEFAULT '',
    "url" VARCHAR(500) NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "private_address" BOOLEAN NOT NULL DEFAULT false,
    "header" VARCHAR(64) NOT NULL DEFAULT 'Authorization',
    "credential" BYTEA,
    "timeout_seconds" INTEGER NOT NULL DEFAULT 60,
    "price" DECIMAL(12,6) NOT NULL DEFAULT 0,
    "tool_prices" JSONB NOT NULL DEFAULT '[]',
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mcp_servers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mcp_bundles" (
    "id" SERIAL NOT NULL,
    "name" VARCHAR(32) NOT NULL,
    "description" VARCHAR(500) NOT NULL DEFAULT '',
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "groups" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "allow" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "deny" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "created_time" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "mcp_bundles_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "mcp_bundle_servers" (
    "bundle_id" INTEGER NOT NULL,
    "server_id" INTEGER NOT NULL,

    CONSTRAINT "mcp_bundle_servers_pkey" PRIMARY KEY ("bundle_id","server_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "mcp_servers_name_key" ON "mcp_servers"("name");

-- CreateIndex
CREATE UNIQUE INDEX "mcp_bundles_name_key" ON "mcp_bundles"("name");

-- CreateIndex
CREATE INDEX "mcp_bundle_servers_server_id_idx" ON "mcp_bundle_servers"("server_id");

-- AddForeignKey
ALTER TABLE "mcp_bundle_servers" ADD CONSTRAINT "mcp_bundle_servers_bundle_id_fkey" FOREIGN KEY ("bundle_id") REFERENCES "mcp_bundles"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "mcp_bundle_servers" ADD CONSTRAINT "mcp_bundle_servers_server_id_fkey" FOREIGN KEY ("server_id") REFERENCES "mcp_servers"("id") ON DELETE CASCADE ON UPDATE CASCADE;
