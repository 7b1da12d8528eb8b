import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createMessageSplitter } from "./event-stream.ts";

/** The published test vectors of AWS's event stream marshallers. */
const vectors = {
  empty: Buffer.from("000000100000000005c248eb7d98c8ff", "hex"),
  payloadOnly: Buffer.from("0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936", "hex"),
  oneString: Buffer.from(
    "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1",
    "hex",
  ),
  oneInteger: Buffer.from(
    "0000002d0000001041c424b80a6576656e742d747970650400 00a00c7b27666f6f273a27626172277d36f480a0".replaceAll(
      " ",
      "",
    ),
    "hex",
  ),
};

function read(bytes: Buffer, size: number) {
  const split = createMessageSplitter();
  const messages = [];
  for (let at = 0; at < bytes.length; at += size) messages.push(...split(bytes.subarray(at, at + size)));
  return messages.map(({ headers, payload }) => ({ headers, payload: payload.toString() }));
}

describe("AWS's event stream", () => {
  it("is decoded at any chunk boundaries", () => {
    const bytes = Buffer.concat([vectors.empty, vectors.payloadOnly, vectors.oneString, vectors.oneInteger]);
    const expected = [
      { headers: {}, payload: "" },
      { headers: {}, payload: "{'foo':'bar'}" },
      { headers: { "content-type": "application/json" }, payload: "{'foo':'bar'}" },
      { headers: {}, payload: "{'foo':'bar'}" },
    ];
    for (const size of [1, 3, 16, 50, bytes.length]) expect(read(bytes, size)).toEqual(expected);
  });

  it("costs no more for each chunk of a long message", () => {
    const message = Buffer.alloc(16 * 1024 * 1024);
    message.writeUInt32BE(message.length, 0);
    message.writeUInt32BE(crc32(message.subarray(0, 8)), 8);
    message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4);
    const began = performance.now();
    expect(read(message, 512)).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it("is rejected for a wrong checksum, in the prelude or at the end", () => {
    for (const at of [3, 9, 20, 60]) {
      const damaged = Buffer.from(vectors.oneString);
      damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at);
      expect(() => read(damaged, 7)).toThrow("damaged");
    }
  });
});
