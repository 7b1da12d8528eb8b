// Read by the Prisma CLI and by the check that migrations and schema agree. A plain object, so that both can
// load it.
export default {
  schema: "prisma/schema",
  migrations: { path: "prisma/migrations" },
  // Partitioned tables exist in the migrations only, because Prisma does not support them.
  experimental: { externalTables: true },
  tables: { external: ["public.request_logs", "public.request_bodies"] },
};
