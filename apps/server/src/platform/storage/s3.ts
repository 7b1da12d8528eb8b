import { Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import { S3mini } from "s3mini";
import { Agent, errors, fetch as undiciFetch } from "undici";
import { GatewayError } from "#errors.ts";
import type { ObjectStorage } from "./storage.ts";

export interface S3Options {
  /** Address of the service, like https://s3.eu-central-1.amazonaws.com. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Folder in the bucket, without slashes at its ends; "" = none. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Part of an upload, in bytes. One is in memory at a time. */
const partBytes = 16 * 1024 * 1024;
/** Limit of S3. */
const mostParts = 10_000;
const attempts = 4;
const firstPauseMs = 500;
const connectMs = 10_000;
const silentMs = 60_000;
/** Maximum size of a response without a file, in bytes: the list of a folder, an error. */
const answerBytes = 16 * 1024 * 1024;

/**
 * Files in a bucket of S3 or a service with its API. An upload that a killed process has left is invisible; the
 * service deletes it by a lifecycle rule.
 */
export function openS3(options: S3Options): ObjectStorage {
  const { bucket, prefix } = options;
  const place = `s3://${[bucket, prefix].filter(Boolean).join("/")}`;
  if ([bucket, options.accessKeyId, options.secretAccessKey].includes(""))
    throw storageError(place, "the bucket, the access key ID or the secret access key is missing");
  const clientWith = (limits: Agent.Options) =>
    new S3mini({
      accessKeyId: options.accessKeyId,
      secretAccessKey: options.secretAccessKey,
      region: options.region,
      endpoint: new URL(encodeURIComponent(bucket), withSlash(options.endpoint)).href,
      fetch: createFetch(
        new Agent({
          connect: { timeout: connectMs },
          headersTimeout: silentMs,
          bodyTimeout: silentMs,
          ...limits,
        }),
        place,
      ),
    });
  const client = clientWith({ maxResponseSize: answerBytes });
  const fileClient = clientWith({});
  const keyOf = (name: string) => (prefix === "" ? name : `${prefix}/${name}`);
  return {
    place,
    async write(name, content, signal) {
      const key = keyOf(name);
      try {
        return await guard(place, () => upload(client, key, content, signal, place));
      } finally {
        content.destroy();
      }
    },
    async read(name) {
      const response = await guard(place, () => fileClient.getObjectResponse(keyOf(name)));
      if (response?.body == null)
        throw new GatewayError("not_found", { reason: "object_missing", file: name, place });
      return Readable.fromWeb(response.body as NodeStream<Uint8Array>);
    },
    async list(folder) {
      const below = [prefix, folder].filter((part) => part !== "").map((part) => `${part}/`);
      const start = below.join("");
      const objects = await guard(place, () => client.listObjects("/", start));
      if (objects === null) throw storageError(place, "the bucket does not exist");
      return objects
        .map(({ Key, Size }) => ({ name: Key.slice(start.length), bytes: Size }))
        .filter(({ name }) => name !== "" && !name.includes("/"));
    },
    async remove(name) {
      await guard(place, () => client.deleteObject(keyOf(name)));
    },
  };
}

function withSlash(address: string): string {
  return address.endsWith("/") ? address : `${address}/`;
}

async function upload(
  client: S3mini,
  key: string,
  content: Readable,
  signal: AbortSignal,
  place: string,
): Promise<number> {
  let bytes = 0;
  let upload: string | undefined;
  const parts: Awaited<ReturnType<S3mini["uploadPart"]>>[] = [];
  try {
    for await (const part of partsOf(content)) {
      signal.throwIfAborted();
      bytes += part.length;
      // What fits into one request needs no upload of several parts.
      if (upload === undefined && part.length < partBytes) {
        await client.putObject(key, part, "application/octet-stream");
        return bytes;
      }
      upload ??= await client.getMultipartUploadId(key, "application/octet-stream");
      if (parts.length === mostParts)
        throw new GatewayError("conflict", {
          reason: "object_too_large",
          gigabytes: Math.floor((partBytes * mostParts) / 1e9),
          place,
        });
      parts.push(await client.uploadPart(key, upload, part, parts.length + 1));
    }
    if (upload === undefined) throw storageError(place, "there is nothing to store");
    await client.completeMultipartUpload(key, upload, parts);
    return bytes;
  } catch (error) {
    if (upload !== undefined) await client.abortMultipartUpload(key, upload).catch(() => undefined);
    throw error;
  }
}

/** Yields parts of equal size, and the rest. */
async function* partsOf(content: Readable): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < partBytes) continue;
    const joined = Buffer.concat(chunks);
    yield joined.subarray(0, partBytes);
    const rest = joined.subarray(partBytes);
    chunks = [rest];
    length = rest.length;
  }
  if (length > 0) yield Buffer.concat(chunks);
}

/** Repeats what a network or a busy service has failed, and names what an operator can correct. */
function createFetch(dispatcher: Agent, place: string): typeof fetch {
  return async (input, init) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        // undici's types and those of the browser describe the same objects.
        const request = { ...init, dispatcher, redirect: "error" } as Parameters<typeof undiciFetch>[1];
        const response = (await undiciFetch(
          input instanceof Request ? input.url : input,
          request,
        )) as unknown as Response;
        if (response.status === 401 || response.status === 403) {
          const detail = `HTTP ${response.status} ${codeIn(await response.text())}`.trim();
          throw new GatewayError("conflict", { reason: "object_storage_denied", place, detail });
        }
        if ((response.status < 500 && response.status !== 429) || attempt === attempts) return response;
        await response.body?.cancel();
      } catch (error) {
        if (error instanceof GatewayError) throw error;
        if (attempt === attempts) throw storageError(place, causeOf(error), error);
      }
      await sleep(firstPauseMs * 2 ** (attempt - 1));
    }
  };
}

/** Returns the error code in a response of S3, like SignatureDoesNotMatch. */
function codeIn(body: string): string {
  return /<Code>(\w{1,100})<\/Code>/.exec(body)?.[1] ?? "";
}

async function guard<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    // Errors of the content and of the signal stay as they are.
    throw isOfService(error) ? storageError(place, causeOf(error), error) : error;
  }
}

/** Returns whether the library or the network threw an error. */
function isOfService(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.cause instanceof errors.UndiciError) return true;
  return error.name.startsWith("S3") || error.message.startsWith("[s3mini]");
}

function storageError(place: string, detail: string, cause?: unknown): GatewayError {
  return new GatewayError("conflict", { reason: "object_storage_failed", place, detail }, { cause });
}

/** Returns the innermost message: undici says "fetch failed" for everything. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return causeOf(error.errors[0]);
  return error.cause instanceof Error ? causeOf(error.cause) : error.message.slice(0, 200);
}
