/** What the JSON editor knows about JSON: where it becomes invalid, and which names fit at the cursor. */
import { type Completion, type CompletionSource, pickedCompletion } from "@codemirror/autocomplete";
import { ensureSyntaxTree } from "@codemirror/language";
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

/** Longer texts are marked up to where the parser arrives in this time. */
const parseTimeMs = 50;

/** Returns the range at which a text stops being JSON; null for JSON and for an empty text. */
export function jsonErrorOf(state: EditorState): { from: number; to: number } | null {
  const text = state.doc.toString();
  if (text.trim() === "") return null;
  try {
    JSON.parse(text);
    return null;
  } catch {
    return brokenRange(state);
  }
}

function brokenRange(state: EditorState): { from: number; to: number } {
  const end = state.doc.length;
  let at = end;
  ensureSyntaxTree(state, end, parseTimeMs)?.iterate({
    enter: (node) => {
      if (node.type.isError) at = Math.min(at, node.from);
    },
  });
  // An error at the end of a text or line has no character of its own.
  const from = at > 0 && (at === end || state.sliceDoc(at, at + 1) === "\n") ? at - 1 : at;
  return { from, to: Math.min(from + 1, end) };
}

/** Returns the text of the string that the cursor is in, up to the cursor; null outside of strings. */
export function openString(lineBefore: string): string | null {
  const quotes = [...lineBefore.matchAll(/\\.|"/g)].filter(([text]) => text === '"');
  const last = quotes.at(-1);
  return quotes.length % 2 === 0 || last === undefined ? null : lineBefore.slice(last.index + 1);
}

/** Completes strings with names, for example those of models. On request, also where no string was begun. */
export function completeNames(names: () => readonly string[]): CompletionSource {
  return ({ state, pos, explicit }) => {
    const line = state.doc.lineAt(pos);
    const typed = openString(line.text.slice(0, pos - line.from));
    if (names().length === 0 || (typed === null && !explicit)) return null;
    const opening = typed === null ? '"' : "";
    return {
      from: pos - (typed?.length ?? 0),
      options: names().map((name) => ({
        label: name,
        apply: (view: EditorView, completion: Completion, from: number, to: number) => {
          const insert = `${opening}${JSON.stringify(name).slice(1, -1)}"`;
          const isClosed = opening === "" && view.state.sliceDoc(to, to + 1) === '"';
          view.dispatch({
            changes: { from, to: isClosed ? to + 1 : to, insert },
            selection: { anchor: from + insert.length },
            annotations: pickedCompletion.of(completion),
            userEvent: "input.complete",
          });
        },
      })),
      validFor: /^[^"\n]*$/,
    };
  };
}
