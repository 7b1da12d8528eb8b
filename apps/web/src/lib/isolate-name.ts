/** Keeps a name with right-to-left text or marks from reordering the sentence around it. */

const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Bidi_Control}]/u;
/** First strong isolate and pop directional isolate, https://www.unicode.org/reports/tr9/#Explicit_Directional_Isolates */
const [open, close] = ["\u2068", "\u2069"];
/** Marks that a name could use to end the isolate around it, or to take its end for one of its own. */
const isolates = /[\u2066-\u2069]/g;

/** Returns a value for the middle of a text. Any other than a name with such text is unchanged. */
export function isolateName(value: string): string {
  if (!rightToLeft.test(value)) return value;
  return `${open}${value.replaceAll(isolates, "")}${close}`;
}
