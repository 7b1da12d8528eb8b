/** A dump as a file: compressed with gzip, and encrypted with age when there is a passphrase. */
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { Decrypter, Encrypter, type Stanza } from "age-encryption";
import { GatewayError } from "#errors.ts";
import { passphraseIdentity, passphraseRecipient } from "./passphrase.ts";
import { cutFile } from "./read-dump.ts";

const ageMagic = Buffer.from("age-encryption.org/");
const gzipMagic = Buffer.from([0x1f, 0x8b]);
const chunkBytes = 65_536;

/** Returns the bytes of the file. An error of the dump becomes an error of the stream. */
export async function encodeFile(
  dump: AsyncIterable<Buffer>,
  passphrase: string | undefined,
): Promise<Readable> {
  const zipped = join(Readable.from(dump, { objectMode: false, highWaterMark: chunkBytes }), createGzip());
  if (passphrase === undefined) return zipped;
  const encrypter = new Encrypter();
  encrypter.addRecipient(passphraseRecipient(passphrase));
  return fromWeb(await encrypter.encrypt(toWeb(zipped)));
}

/**
 * Returns the dump in a file, decrypted and decompressed while it is read.
 * @param file name for messages
 */
export async function decodeFile(
  content: Readable,
  file: string,
  passphrase: string | undefined,
): Promise<AsyncIterable<Buffer>> {
  const { start, whole } = await peek(content, file);
  if (start.subarray(0, gzipMagic.length).equals(gzipMagic)) return unzip(whole, file);
  if (!start.equals(ageMagic)) throw new GatewayError("conflict", { reason: "backup_not_ours", file });
  if (passphrase === undefined)
    throw new GatewayError("conflict", { reason: "backup_passphrase_needed", file });
  const decrypter = new Decrypter();
  let isOpened = false;
  decrypter.addIdentity({
    async unwrapFileKey(stanzas: Stanza[]) {
      const key = await passphraseIdentity(passphrase).unwrapFileKey(stanzas);
      isOpened = key !== null;
      return key;
    },
  });
  try {
    return unzip(fromWeb(await decrypter.decrypt(toWeb(whole))), file);
  } catch (error) {
    content.destroy();
    if (isOpened) throw cutFile(file, messageOf(error), error);
    throw new GatewayError("conflict", { reason: "backup_passphrase_wrong", file }, { cause: error });
  }
}

async function* unzip(zipped: Readable, file: string): AsyncGenerator<Buffer> {
  try {
    yield* join(zipped, createGunzip()) as AsyncIterable<Buffer>;
  } catch (error) {
    throw error instanceof GatewayError ? error : cutFile(file, messageOf(error), error);
  }
}

/** Reads the first bytes and puts them back. */
async function peek(content: Readable, file: string): Promise<{ start: Buffer; whole: Readable }> {
  const source: AsyncIterator<Buffer> = content[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  while (first.length < ageMagic.length) {
    const next = await source.next();
    if (next.done === true) throw cutFile(file, "it ends too early");
    first = Buffer.concat([first, next.value]);
  }
  async function* again(): AsyncGenerator<Buffer> {
    try {
      yield first;
      yield* { [Symbol.asyncIterator]: () => source };
    } finally {
      content.destroy();
    }
  }
  return {
    start: first.subarray(0, ageMagic.length),
    whole: Readable.from(again(), { objectMode: false, highWaterMark: chunkBytes }),
  };
}

/** Connects both ways: errors reach the end, and closing the end closes the source. */
function join(source: Readable, through: ReturnType<typeof createGzip>): Readable {
  const end = new PassThrough({ highWaterMark: chunkBytes });
  // The error is that of the stream, where its reader receives it.
  pipeline(source, through, end).catch(() => undefined);
  return end;
}

// The types of Node and of the browser describe the same objects.
function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}

function fromWeb(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
