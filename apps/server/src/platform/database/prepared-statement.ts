import { readFileSync } from "node:fs";

/** A statement that is prepared once per connection under its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/**
 * Reads the statement in the `.sql` file beside a module; the bundle has copies of these files. Its name is that of the
 * file, which no other `.sql` file of the server has.
 * @param module the module's `import.meta.url`
 */
export function readStatement(module: string, file: `${string}.sql`): PreparedStatement {
  return { name: file.slice(0, -".sql".length), text: readFileSync(new URL(file, module), "utf8") };
}
