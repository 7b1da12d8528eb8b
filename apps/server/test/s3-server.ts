import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface S3Server {
  endpoint: string;
  /** Complete objects by key. */
  objects: Map<string, Buffer>;
  /** Uploads that are neither complete nor aborted. */
  uploads: Map<string, Buffer[]>;
  /** Status of the next requests, instead of serving them. */
  failures: number[];
  /** There is no space for further objects. */
  isFull: boolean;
  close(): Promise<void>;
}

/**
 * The part of S3's API that backups use, for one bucket. It checks the access key, not the signature: `pnpm verify:backup`
 * runs against a server that does.
 */
export async function startS3Server(bucket: string, accessKeyId: string): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Buffer[]>();
  const failures: number[] = [];
  const state = { isFull: false };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const [status, body, headers] = answer(request.method ?? "", request.url ?? "", Buffer.concat(chunks));
      response.writeHead(status, { "content-type": "application/xml", ...headers }).end(body);
    });

    function answer(
      method: string,
      target: string,
      body: Buffer,
    ): [status: number, body?: string | Buffer, headers?: Record<string, string>] {
      const failure = failures.shift();
      if (failure !== undefined) return [failure];
      if (!request.headers.authorization?.includes(`Credential=${accessKeyId}/`))
        return [403, "<Error><Code>InvalidAccessKeyId</Code></Error>"];
      const { pathname, searchParams } = new URL(target, "http://s3");
      const [, name, ...rest] = pathname.split("/");
      if (name !== bucket) return [404, "<Error><Code>NoSuchBucket</Code></Error>"];
      const key = decodeURIComponent(rest.join("/"));
      const upload = searchParams.get("uploadId");
      if (state.isFull && (method === "PUT" || method === "POST"))
        return [507, "<Error><Code>XMinioStorageFull</Code></Error>"];
      if (method === "POST" && searchParams.has("uploads")) {
        uploads.set(key, []);
        return [
          200,
          `<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>`,
        ];
      }
      if (method === "PUT" && upload !== null) {
        uploads.get(key)![Number(searchParams.get("partNumber")) - 1] = body;
        return [200, "", { etag: tagOf(body) }];
      }
      if (method === "POST" && upload !== null) {
        objects.set(key, Buffer.concat(uploads.get(key)!));
        uploads.delete(key);
        return [
          200,
          `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>x</ETag></CompleteMultipartUploadResult>`,
        ];
      }
      if (method === "DELETE") {
        if (upload === null) objects.delete(key);
        else uploads.delete(key);
        return [204];
      }
      if (method === "PUT") {
        objects.set(key, body);
        return [200, "", { etag: tagOf(body) }];
      }
      if (key === "") return [200, listOf(searchParams.get("prefix") ?? "")];
      const found = objects.get(key);
      return found === undefined ? [404, "<Error><Code>NoSuchKey</Code></Error>"] : [200, found];
    }
  });

  function listOf(prefix: string): string {
    const entries = [...objects].filter(([key]) => key.startsWith(prefix));
    const contents = entries.map(
      ([key, { length }]) =>
        `<Contents><Key>${key}</Key><Size>${length}</Size><LastModified>2026-11-28T00:00:00Z</LastModified></Contents>`,
    );
    return `<ListBucketResult><IsTruncated>false</IsTruncated><KeyCount>${entries.length}</KeyCount>${contents.join("")}</ListBucketResult>`;
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    uploads,
    failures,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function tagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}
