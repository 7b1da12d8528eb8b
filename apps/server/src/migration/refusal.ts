import type { ErrorParams } from "@gateway/shared/errors";

/** What a console needs to explain a refusal in the reader's language. */
export type RefusalFacts = ErrorParams<"conflict"> | undefined;

/** Why another gateway's database cannot be imported. The message says what to do next, and is shown without a stack. */
export class ImportRefusal extends Error {
  /** Whether the address or an option is wrong, not the database. */
  readonly isUsage: boolean;
  readonly facts: RefusalFacts;

  constructor(
    message: string,
    { isUsage = false, facts, cause }: { isUsage?: boolean; facts?: RefusalFacts; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.isUsage = isUsage;
    this.facts = facts;
  }
}
