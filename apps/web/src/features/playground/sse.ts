/** Creates a parser that returns the data of complete events, for any split of the stream. Pure. */
export function createEventCutter(): (piece: string) => string[] {
  let rest = "";
  return (piece) => {
    const blocks = (rest + piece).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    // A trailing CR may be half a line end: its LF arrives with the next chunk.
    return blocks.map(dataOf).filter((data) => data !== "");
  };
}

/** Ignores comments and other fields. */
function dataOf(block: string): string {
  return block
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trimStart())
    .join("\n");
}
