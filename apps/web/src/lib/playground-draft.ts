/** A conversation that another screen hands to the playground. Kept in memory: a reload must not send it again. */

export type PlaygroundDraft = {
  model: string;
  system: string;
  /** The last one is the question to ask; it has no answer. */
  turns: { text: string; images: string[]; answer: string }[];
  /** Ask at once, with the reader's own key. */
  send: boolean;
};

let offered: PlaygroundDraft | undefined;

export function offerDraft(draft: PlaygroundDraft): void {
  offered = draft;
}

/** The draft, once. */
export function takeDraft(): PlaygroundDraft | undefined {
  const draft = offered;
  offered = undefined;
  return draft;
}
