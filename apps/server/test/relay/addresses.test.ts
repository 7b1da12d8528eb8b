import { createServer, type Server } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "#test/gateway.ts";

/** Images and files that a request contains as addresses: forwarded, or fetched by the guarded client. */
let gateway: TestGateway;
let key: string;
let files: string;
let server: Server;
let visits: string[] = [];
/** Allows only this machine's server, as if it were the public internet. */
const mayReach = (address: string) => address === "127.0.0.1";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\nhello\n");
const wav = Buffer.concat([Buffer.from("RIFF\x24\0\0\0WAVEfmt "), Buffer.alloc(2_000)]);

const served: Record<string, [type: string, bytes: Buffer]> = {
  "/a.png": ["application/octet-stream", png],
  "/b.png": ["image/png", png],
  "/a.pdf": ["application/pdf", pdf],
  "/a.wav": ["audio/x-wav", wav],
  "/page": ["text/html", Buffer.from("<html>")],
  "/heavy.txt": ["text/plain", Buffer.alloc(2 * 1024 * 1024, "word ")],
  "/bulk": ["image/png", Buffer.concat([png, Buffer.alloc(20 * 1024 * 1024)])],
  "/large": ["image/png", Buffer.concat([png, Buffer.alloc(25 * 1024 * 1024)])],
};

beforeAll(async () => {
  server = createServer((request, response) => {
    visits.push(request.url ?? "");
    if (request.url === "/to-metadata")
      response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end();
    else if (request.url === "/to-mapped")
      response.writeHead(302, { location: "http://[::ffff:10.0.0.1]/" }).end();
    else {
      const [type, bytes] = served[request.url?.replace(/[?].*$/, "") ?? ""] ?? [undefined, undefined];
      if (bytes === undefined) response.writeHead(404).end();
      else response.writeHead(200, { "content-type": type }).end(bytes);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  files = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  gateway = await startTestGateway({}, undefined, { mayReach });
  for (const [name, type] of [
    ["to-gemini", 25],
    ["to-anthropic", 14],
    ["to-responses", 1],
    ["to-chat", 8],
    ["to-ollama", 39],
  ] as const)
    await gateway.addChannel({ type, name, models: [name], model_mapping: { [name]: "demo-chat" } });
  key = (await gateway.addToken()).key;
});
afterAll(async () => {
  await gateway.stop();
  server.close();
});
beforeEach(() => {
  visits = [];
});

async function post(path: string, body: object) {
  const response = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { error?: { message: string; param?: string } };
  return { status: response.status, ...answer.error, headers: response.headers };
}

const image = (url: string) => ({ type: "image_url", image_url: { url } });
const look = { type: "text", text: "Look." };
const chat = (model: string, ...content: object[]) =>
  post("/v1/chat/completions", { model, messages: [{ role: "user", content: [look, ...content] }] });
const sent = () => JSON.stringify(gateway.upstream.calls().at(-1)?.body);

describe("the address of an image", () => {
  it.each(["to-chat", "to-anthropic", "to-responses"])("is forwarded %s", async (model) => {
    const url = model === "to-responses" ? "/v1/messages" : "/v1/chat/completions";
    const content =
      url === "/v1/messages"
        ? { type: "image", source: { type: "url", url: `${files}/a.png` } }
        : image(`${files}/a.png`);
    const messages = [{ role: "user", content: [look, content] }];
    expect((await post(url, { model, max_tokens: 20, messages })).status).toBe(200);
    expect(sent()).toContain(`${files}/a.png`);
    expect(visits).toEqual([]);
  });

  it.each(["to-gemini", "to-ollama"])("becomes its bytes %s, each address fetched once", async (model) => {
    const url = `${files}/a.png`;
    expect((await chat(model, image(url), image(url), image(`${files}/b.png`))).status).toBe(200);
    expect(visits.toSorted()).toEqual(["/a.png", "/b.png"]);
    expect(sent().split(png.toString("base64"))).toHaveLength(4);
    expect(sent()).toContain("image/png");
    expect(sent()).not.toContain(files);
  });

  it("that its own provider can read is unchanged", async () => {
    for (const fileUri of ["https://www.youtube.com/watch?v=x", "gs://bucket/a.mp4"]) {
      const parts = [{ text: "Look." }, { fileData: { fileUri, mimeType: "video/mp4" } }];
      const { status } = await post("/v1beta/models/to-gemini:generateContent", { contents: [{ parts }] });
      expect(status).toBe(200);
      expect(sent()).toContain(fileUri);
    }
  });
});

describe("the address of a file", () => {
  it("is forwarded if the format supports it, and otherwise replaced by its bytes", async () => {
    const ask = (model: string) =>
      post("/v1/responses", {
        model,
        input: [{ role: "user", content: [{ type: "input_file", file_url: `${files}/a.pdf` }] }],
      });
    expect((await ask("to-anthropic")).status).toBe(200);
    expect(sent()).toContain(`${files}/a.pdf`);
    expect(visits).toEqual([]);
    for (const model of ["to-chat", "to-gemini"]) {
      const { status, headers } = await ask(model);
      expect([status, headers.get("x-gateway-dropped")]).toEqual([200, null]);
      expect(sent()).toContain(pdf.toString("base64"));
    }
    expect(visits).toEqual(["/a.pdf", "/a.pdf"]);
  });

  it("of an audio file becomes audio input", async () => {
    const parts = [{ text: "Listen." }, { fileData: { fileUri: `${files}/a.wav`, mimeType: "audio/wav" } }];
    const { status } = await post("/v1beta/models/to-chat:generateContent", { contents: [{ parts }] });
    expect(status).toBe(200);
    expect(sent()).toContain("input_audio");
  });

  it("inside a tool result is handled too", async () => {
    const messages = [
      { role: "user", content: "Look." },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "shot", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "t",
            content: [{ type: "image", source: { type: "url", url: `${files}/a.png` } }],
          },
        ],
      },
    ];
    expect((await post("/v1/messages", { model: "to-gemini", max_tokens: 20, messages })).status).toBe(200);
    expect(sent()).toContain(png.toString("base64"));
  });
});

describe("an unusable address", () => {
  const path = "messages.0.content.1.image_url.url";

  it.each([
    ["of a private network", "http://10.0.0.1/a.png", "Only public URLs"],
    ["of the cloud's metadata", "http://169.254.169.254/latest/meta-data", "Only public URLs"],
    ["of this machine, in IPv6's clothes", "http://[::ffff:10.0.0.1]/", "Only public URLs"],
    ["of this machine, by number", "http://0x7f.2/", "Only public URLs"],
    ["whose name leads to this machine in IPv6 only", "http://ip6-localhost:1/", "cannot be"],
    ["that is no web address", "file:///etc/passwd", "http or https"],
  ])("%s is rejected with the position of the field", async (_what, url, sentence) => {
    const refusal = await chat("to-gemini", image(url));
    expect(refusal).toMatchObject({ status: 400, param: path });
    expect(refusal.message).toContain(path);
    expect(refusal.message).toContain(sentence);
  });

  it.each([
    ["redirects to the cloud's metadata", "/to-metadata", "Only public URLs"],
    ["redirects to a mapped address", "/to-mapped", "Only public URLs"],
    ["is not there", "/gone", "status 404"],
    ["holds a page", "/page", "text/html"],
    ["is too large", "/large", "larger than"],
  ])("because it %s is rejected in every dialect", async (_what, file, sentence) => {
    const url = files + file;
    const refusal = await chat("to-gemini", image(url));
    expect(refusal).toMatchObject({ status: 400, param: path });
    expect(refusal.message).toContain(sentence);
    const source = { type: "url", url };
    const messages = [{ role: "user", content: [{ type: "image", source }] }];
    const second = await post("/v1/messages", { model: "to-gemini", max_tokens: 9, messages });
    expect(second.status).toBe(400);
    expect(second.message).toContain("messages.0.content.0.source.url");
  });

  it("costs nothing, reserves nothing and calls no provider", async () => {
    const before = gateway.upstream.calls().length;
    await chat("to-gemini", image("http://10.0.0.1/a.png"));
    expect(gateway.upstream.calls()).toHaveLength(before);
    expect((await gateway.logs())[0]).toMatchObject({ quota: 0, outcome: "failed", status: 400 });
    expect(await gateway.drift()).toBe(0n);
  });

  it("is rejected when there are too many", async () => {
    const many = Array.from({ length: 33 }, (_, index) => image(`${files}/a.png?${index}`));
    expect((await chat("to-gemini", ...many)).message).toContain("At most 32");
    expect(visits).toEqual([]);
  });
});

describe("a request for an unknown model", () => {
  it("fetches nothing", async () => {
    const refusal = await chat("no-such-model", image(`${files}/a.png`));
    expect(refusal.status).toBe(404);
    expect(visits).toEqual([]);
  });
});

describe("the balance of an account", () => {
  async function setBalance(points: number): Promise<void> {
    const { id, quota } = await gateway.api<{ id: number; quota: number }>("GET", "/user/self");
    if (points !== quota)
      await gateway.api("POST", `/user/quota/${id}`, { quota: points - quota, remark: "test" });
  }
  const doc = (name: string) =>
    post("/v1/responses", {
      model: "to-chat",
      max_output_tokens: 20,
      input: [{ role: "user", content: [{ type: "input_file", file_url: `${files}/${name}` }] }],
    });

  it("is reserved before anything is fetched", async () => {
    await setBalance(0);
    expect(await chat("to-gemini", image(`${files}/a.png`))).toMatchObject({ status: 402 });
    expect(visits).toEqual([]);
  });

  it("must cover the most that a file at an address may cost; nothing stays reserved when it does not", async () => {
    const { quota } = await gateway.api<{ quota: number }>("GET", "/user/self");
    expect(quota).toBe(0);
    // Enough without the file. How long it is shows only after the download.
    await setBalance(20_000);
    const calls = gateway.upstream.calls().length;
    expect((await doc("heavy.txt")).status).toBe(402);
    expect(visits).toEqual([]);
    expect(gateway.upstream.calls()).toHaveLength(calls);
    expect(await gateway.api("GET", "/user/self")).toMatchObject({ quota: 20_000, reserved: 0 });
    await setBalance(500_000_000);
    expect((await doc("heavy.txt")).status).toBe(200);
    expect(await gateway.drift()).toBe(0n);
  });

  it("does not raise the maximum bytes of one call, which are counted as they arrive", async () => {
    const many = Array.from({ length: 12 }, (_, index) => image(`${files}/bulk?${index}`));
    expect(await chat("to-gemini", ...many)).toMatchObject({ status: 400 });
    // The fourth one exceeds the limit, and the others are not started.
    expect(visits.length).toBeLessThanOrEqual(8);
  });
});
