/**
 * Returns whether a line of text fits into a width at up to 14 px. Estimates high. A box that clips its
 * text is expensive: the browser visits each of them for every click and every frame, also outside the window.
 * @param width in pixels
 */
export function fitsIn(text: string, width: number): boolean {
  let left = width;
  for (let at = 0; at < text.length && left >= 0; at += 1) left -= widthOf(text.charCodeAt(at));
  return left >= 0;
}

/** Upper limit in pixels for one UTF-16 unit. */
function widthOf(code: number): number {
  const isNarrow =
    (code >= 0x61 && code <= 0x7a && code !== M && code !== W) || (code >= 0x30 && code <= 0x39);
  return isNarrow || code === SPACE || code === HYPHEN || code === DOT ? 8.6 : 14;
}

const [SPACE, HYPHEN, DOT, M, W] = [0x20, 0x2d, 0x2e, 0x6d, 0x77];
