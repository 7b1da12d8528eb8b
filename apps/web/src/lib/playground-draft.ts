/**
 * A conversation that another screen passes to the playground.
 * In memory only: a reload must not send it again.
 */

export type PlaygroundDraft = {
  model: string;
  system: string;
  /** The last turn is the question to send; it has no answer. */
  turns: { text: string; images: string[]; answer: string }[];
  /** Send at once, with the user's own key. */
  send: boolean;
};

let pendingDraft: PlaygroundDraft | undefined;

export function passDraft(draft: PlaygroundDraft): void {
  pendingDraft = draft;
}

/** Returns the draft and clears it. */
export function takeDraft(): PlaygroundDraft | undefined {
  const draft = pendingDraft;
  pendingDraft = undefined;
  return draft;
}
