/** Why another gateway's database cannot be imported. The message says what to do next, and is shown without a stack. */
export class ImportRefusal extends Error {
  /** Whether the address or an option is wrong, not the database. */
  readonly isUsage: boolean;

  constructor(message: string, { isUsage = false, cause }: { isUsage?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isUsage = isUsage;
  }
}
