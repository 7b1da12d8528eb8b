/** Where the questions of `confirm` are shown. The code of the dialog is loaded with the first question. */
let announce: () => void = () => {};
let isWanted = false;
let place: { ready: () => void; arrived: Promise<void> } | undefined;

/** Loads the dialog component. Resolves when it can show questions. */
export function questionsWanted(): Promise<void> {
  isWanted = true;
  if (!place) {
    let ready = () => {};
    const arrived = new Promise<void>((resolve) => (ready = resolve));
    place = { ready, arrived };
  }
  announce();
  return place.arrived;
}

/**
 * Calls back when the first question is asked, at once if it
 * already was. Returns a function that unsubscribes.
 */
export function whenFirstQuestion(act: () => void): () => void {
  announce = act;
  if (isWanted) act();
  return () => {
    announce = () => {};
  };
}

/** Called when questions can be shown. */
export function questionsReady(): void {
  place?.ready();
}
