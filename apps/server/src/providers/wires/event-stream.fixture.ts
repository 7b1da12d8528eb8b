import { crc32 } from "node:zlib";

/** Returns one message of AWS's event stream, checksums included, with string headers. */
export function eventMessage(headers: Record<string, string>, payload: string): Buffer {
  const named = Object.entries(headers).map(([name, value]) => {
    const head = Buffer.from([name.length, ...Buffer.from(name), 7, 0, value.length]);
    return Buffer.concat([head, Buffer.from(value)]);
  });
  const body = Buffer.concat([...named, Buffer.from(payload)]);
  const bytes = Buffer.alloc(body.length + 16);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(body.length - Buffer.byteLength(payload), 4);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
  body.copy(bytes, 12);
  bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return bytes;
}
