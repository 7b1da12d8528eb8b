/** Cuts an event stream into the data of its events, wherever the network cut it. Pure. */
export function createEventCutter(): (piece: string) => string[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    // A lone CR may be half a line end: its LF comes with the next piece.
    return blocks.map(dataOf).filter((data) => data !== "");
  };
}

/** Comments and other fields are nothing to us. */
function dataOf(block: string): string {
  return block
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n");
}
