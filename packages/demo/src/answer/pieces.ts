/**
 * A piece is the demo model's token: one Chinese, Japanese or Korean character, or up to eight other characters of
 * one word with the space before it. One piece is one streamed delta and one token of usage.
 */
const piece =
  /\s*[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]|\s*(?:[\ud800-\udbff][\udc00-\udfff]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef\ud800-\udfff]){1,8}|\s+|[\s\S]/g;

export function piecesOf(text: string): string[] {
  return text.match(piece) ?? [];
}

/** Repeats the text until it has exactly `count` pieces. */
export function repeatToPieces(text: string, count: number): string[] {
  const once = piecesOf(`${text} `);
  const pieces: string[] = [];
  while (pieces.length < count && once.length > 0) pieces.push(...once.slice(0, count - pieces.length));
  return pieces;
}
