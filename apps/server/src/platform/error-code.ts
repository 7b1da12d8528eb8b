/** Returns the code of an error of Node or of Postgres, such as ENOENT; undefined without one. */
export function errorCodeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
