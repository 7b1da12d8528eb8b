import { ImportRefusal } from "#migration/refusal.ts";
import { openMysql } from "./mysql.ts";
import { openPostgres } from "./postgres.ts";
import { tolerateMissingColumns, type Source } from "./source.ts";

/** `--from`: the path of an SQLite file, or the address of a MySQL or Postgres database. */
export async function openSource(from: string): Promise<Source> {
  return tolerateMissingColumns(await openAs(addressOf(from)));
}

async function openAs(from: string): Promise<Source> {
  if (!/^[a-z][a-z\d+.-]+:\/\//i.test(from)) {
    if (/^\w+=\S/.test(from) && from.includes("dbname="))
      throw new ImportRefusal(
        "--from takes an address: write host=… user=… password=… dbname=… as postgres://user:password@host:5432/dbname.",
        { isUsage: true },
      );
    // A server that imports nothing does not load the driver.
    const { openSqlite } = await import("./sqlite.ts");
    return openSqlite(from);
  }
  if (!URL.canParse(from))
    throw new ImportRefusal(
      "The address after --from cannot be read. Percent-encode special characters in its password.",
      { isUsage: true },
    );
  if (/^postgres(ql)?:\/\//.test(from)) return openPostgres(from);
  if (/^(mysql|mariadb):\/\//.test(from)) return openMysql(from.replace(/^mariadb:/, "mysql:"));
  throw new ImportRefusal(
    "--from takes the path of an SQLite file, mysql://user:password@host:3306/database, or postgres://user:password@host:5432/database.",
    { isUsage: true },
  );
}

/** `SQL_DSN` of the Go gateways for MySQL: `user:password@tcp(host:3306)/database?options`. */
const goAddress = /^([^:@/]*)(?::(.*))?@tcp\(([^)]+)\)\/([^?]*)(?:\?.*)?$/;

function addressOf(from: string): string {
  const [, user, password = "", host, database] = goAddress.exec(from) ?? [];
  if (user === undefined || host === undefined || database === undefined) return from;
  return `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${host}/${database}`;
}
