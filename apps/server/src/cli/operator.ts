import { Role } from "@gateway/shared/accounts/roles";
import type { Administrator } from "#domain/accounts/authority.ts";
import type { Db } from "#platform/database/db.ts";
import { CommandFailure } from "./failure.ts";

/** Who opens the database may do what root may; the audit log names root with this tool. */
export async function operatorOf(db: Db): Promise<Administrator> {
  const root = await db.user.findFirst({ where: { role: Role.root }, orderBy: { id: "asc" } });
  if (root === null)
    throw new CommandFailure(
      "This installation has no root account yet. Open the set-up link that the server prints, or set ROOT_USERNAME and ROOT_PASSWORD.",
    );
  return {
    id: root.id,
    username: `${root.username.slice(0, 48)} (command line)`,
    role: Role.root,
    permissions: null,
    ip: "",
  };
}
