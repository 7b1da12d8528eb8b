/** QR codes (ISO/IEC 18004) for short texts: byte mode, error correction level L, versions 1 to 15. Pure. */

/** Check bytes per block, and number of blocks, by version. */
const CHECK_BYTES = [0, 7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22];
const BLOCKS = [0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6];
const LAST_VERSION = 15;
/** Level L as the format information writes it. */
const LEVEL_BITS = 0b01;

/** Rows of dark (true) and light modules; undefined when the text is too long. */
export function qrMatrix(text: string): boolean[][] | undefined {
  const bytes = new TextEncoder().encode(text);
  for (let version = 1; version <= LAST_VERSION; version++) {
    const room = dataBytes(version);
    if (bytes.length * 8 + 4 + lengthBits(version) > room * 8) continue;
    return draw(version, interleave(version, packed(bytes, version, room)));
  }
  return undefined;
}

const lengthBits = (version: number) => (version < 10 ? 8 : 16);
const at = (list: readonly number[], index: number) => list[index] ?? 0;
const sizeOf = (version: number) => version * 4 + 17;

/** Centres of the alignment patterns along one side. */
function alignment(version: number): number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const last = sizeOf(version) - 7;
  const step = Math.ceil((last - 6) / (count - 1) / 2) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, index) => last - (count - 2 - index) * step)];
}

/** Bytes of data and check together: what the fixed patterns leave. */
function allBytes(version: number): number {
  const size = sizeOf(version);
  const patterns = alignment(version).length;
  // Finders with their margins and the format information, both timing lines, the dark module's column.
  let free = size * size - 3 * 64 - 31 - 2 * (size - 16);
  if (patterns > 0) free -= (patterns * patterns - 3) * 25 - (patterns - 2) * 2 * 5;
  if (version >= 7) free -= 36;
  return free >> 3;
}

function dataBytes(version: number): number {
  return allBytes(version) - at(CHECK_BYTES, version) * at(BLOCKS, version);
}

/** Mode, length, text, terminator, and padding up to `room` bytes. */
function packed(bytes: Uint8Array, version: number, room: number): number[] {
  const bits: number[] = [];
  const push = (value: number, count: number) => {
    for (let bit = count - 1; bit >= 0; bit--) bits.push((value >> bit) & 1);
  };
  push(0b0100, 4);
  push(bytes.length, lengthBits(version));
  for (const byte of bytes) push(byte, 8);
  push(0, Math.min(4, room * 8 - bits.length));
  push(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < room * 8; pad ^= 0xec ^ 0x11) push(pad, 8);
  return Array.from({ length: room }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((byte, bit) => (byte << 1) | bit, 0),
  );
}

/** Product in the field of 256 elements that QR codes use. */
function times(left: number, right: number): number {
  let product = 0;
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ ((product >> 7) * 0x11d);
    if ((right >> bit) & 1) product ^= left;
  }
  return product;
}

/** Check bytes of a block (Reed–Solomon). */
export function checkBytes(data: readonly number[], count: number): number[] {
  let generator = [1];
  for (let power = 0, root = 1; power < count; power++, root = times(root, 2)) {
    const next = [...generator, 0];
    generator.forEach((factor, index) => {
      next[index + 1] = at(next, index + 1) ^ times(factor, root);
    });
    generator = next;
  }
  let rest: number[] = Array.from({ length: count }, () => 0);
  for (const byte of data) {
    const factor = byte ^ at(rest, 0);
    rest = [...rest.slice(1), 0].map((value, index) => value ^ times(at(generator, index + 1), factor));
  }
  return rest;
}

/** Splits the data into blocks and weaves them, then their check bytes. */
function interleave(version: number, data: readonly number[]): number[] {
  const count = at(BLOCKS, version);
  const short = Math.floor(data.length / count);
  const longOnes = data.length % count;
  let from = 0;
  const blocks = Array.from({ length: count }, (_, index) => {
    const length = short + (index >= count - longOnes ? 1 : 0);
    const block = data.slice(from, from + length);
    from += length;
    return block;
  });
  const checks = blocks.map((block) => checkBytes(block, at(CHECK_BYTES, version)));
  const woven = (parts: readonly number[][]) => {
    const longest = Math.max(...parts.map((part) => part.length));
    return Array.from({ length: longest }, (_, index) =>
      parts.flatMap((part) => (index < part.length ? [at(part, index)] : [])),
    ).flat();
  };
  return [...woven(blocks), ...woven(checks)];
}

/** A module is dark, light, or not yet decided. */
type Grid = (boolean | undefined)[][];

const masks: ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

function draw(version: number, codewords: readonly number[]): boolean[][] {
  const size = sizeOf(version);
  const fixed: Grid = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined));
  drawPatterns(fixed, version);
  const drawn = masks.map((mask, index) => {
    const grid = fixed.map((row) => [...row]);
    drawFormat(grid, index);
    drawData(grid, codewords, mask);
    return grid.map((row) => row.map((module) => module === true));
  });
  // Any mask can be read; the one with the fewest confusing patterns is read best.
  return drawn.reduce((best, next) => (penalty(next) < penalty(best) ? next : best));
}

function set(grid: Grid, row: number, column: number, dark: boolean): void {
  const line = grid[row];
  if (line && column >= 0 && column < line.length) line[column] = dark;
}

/** Concentric squares around a centre: dark where `dark` says so of the distance. */
function square(grid: Grid, row: number, column: number, reach: number, dark: (d: number) => boolean): void {
  for (let y = -reach; y <= reach; y++)
    for (let x = -reach; x <= reach; x++)
      set(grid, row + y, column + x, dark(Math.max(Math.abs(x), Math.abs(y))));
}

function drawPatterns(grid: Grid, version: number): void {
  const size = grid.length;
  for (let index = 0; index < size; index++) {
    set(grid, 6, index, index % 2 === 0);
    set(grid, index, 6, index % 2 === 0);
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    square(grid, row, column, 4, (d) => d !== 2 && d !== 4);
  const centres = alignment(version);
  const [first, last] = [centres[0], centres.at(-1)];
  for (const row of centres)
    for (const column of centres) {
      const onFinder =
        (row === first && (column === first || column === last)) || (row === last && column === first);
      if (!onFinder) square(grid, row, column, 2, (d) => d !== 1);
    }
  if (version >= 7) {
    const bits = (version << 12) | remainder(version, 12, 0x1f25);
    for (let index = 0; index < 18; index++) {
      const [far, near] = [size - 11 + (index % 3), Math.floor(index / 3)];
      const dark = ((bits >> index) & 1) === 1;
      set(grid, far, near, dark);
      set(grid, near, far, dark);
    }
  }
}

/** What is left of `value` after division by a generator of `degree`. */
function remainder(value: number, degree: number, generator: number): number {
  let rest = value;
  for (let step = 0; step < degree; step++) rest = (rest << 1) ^ ((rest >> (degree - 1)) * generator);
  return rest & ((1 << degree) - 1);
}

function drawFormat(grid: Grid, mask: number): void {
  const size = grid.length;
  const data = (LEVEL_BITS << 3) | mask;
  const bits = ((data << 10) | remainder(data, 10, 0x537)) ^ 0x5412;
  const dark = (index: number) => ((bits >> index) & 1) === 1;
  for (let index = 0; index < 15; index++) {
    // Around the upper left finder, jumping over the timing lines …
    if (index < 6) set(grid, index, 8, dark(index));
    else if (index < 8) set(grid, index + 1, 8, dark(index));
    else if (index === 8) set(grid, 8, 7, dark(index));
    else set(grid, 8, 14 - index, dark(index));
    // … and again beside the other two.
    if (index < 8) set(grid, 8, size - 1 - index, dark(index));
    else set(grid, size - 15 + index, 8, dark(index));
  }
  set(grid, size - 8, 8, true);
}

/** Two columns at a time from the right, up and down in turn, around what is drawn already. */
function drawData(grid: Grid, codewords: readonly number[], mask: (r: number, c: number) => boolean): void {
  const size = grid.length;
  let bit = 0;
  let upward = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step++) {
      const row = upward ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (grid[row]?.[column] !== undefined) continue;
        const value = (at(codewords, bit >> 3) >> (7 - (bit & 7))) & 1;
        bit += 1;
        set(grid, row, column, (value === 1) !== mask(row, column));
      }
    }
    upward = !upward;
  }
}

/** Long runs, blocks, patterns that look like a finder, and too much of one shade, weighted as the standard says. */
function penalty(grid: boolean[][]): number {
  const size = grid.length;
  const lines = [...grid, ...grid.map((_, column) => grid.map((row) => row[column] === true))].map((line) =>
    line.map((dark) => (dark ? "1" : "0")).join(""),
  );
  let points = 0;
  for (const line of lines) {
    for (const run of line.match(/0{5,}|1{5,}/g) ?? []) points += run.length - 2;
    points += 40 * (line.match(/(?=10111010000|00001011101)/g) ?? []).length;
  }
  for (let row = 0; row + 1 < size; row++)
    for (let column = 0; column + 1 < size; column++) {
      const here = grid[row]?.[column];
      const same = [grid[row]?.[column + 1], grid[row + 1]?.[column], grid[row + 1]?.[column + 1]];
      if (same.every((module) => module === here)) points += 3;
    }
  const share = grid.flat().filter(Boolean).length / (size * size);
  return points + 10 * Math.floor(Math.abs(share * 100 - 50) / 5);
}
