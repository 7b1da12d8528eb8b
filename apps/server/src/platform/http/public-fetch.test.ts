import { createServer, type RequestListener, type Server } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { boundedFetch, fetchPublic, fetchPublicText, isPublicAddress, publicFetch } from "./public-fetch.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://localhost:${(server.address() as { port: number }).port}`;
}

const here = { mayReach: () => true };

describe("fetching an address from a user", () => {
  it("returns the response of a public server, through redirects", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/list") response.end("[1]");
      else response.writeHead(302, { location: "/list" }).end();
    });
    expect(await fetchPublicText(url, here)).toBe("[1]");
  });

  it("returns bytes and their type, and stops when it is aborted", async () => {
    const leaving = new AbortController();
    const url = await serve((request, response) => {
      if (request.url === "/hang") return leaving.abort();
      response.writeHead(200, { "content-type": "Image/PNG; q=1" }).end(Buffer.from([137, 80]));
    });
    expect(await fetchPublic(url, here)).toEqual({ mediaType: "image/png", bytes: Buffer.from([137, 80]) });
    const wanted = fetchPublic(`${url}/hang`, { ...here, signal: leaving.signal });
    await expect(wanted).rejects.toMatchObject({ code: "invalid_request" });
  });

  it("rejects names and addresses of this machine and of private networks", async () => {
    const url = await serve((_request, response) => response.end("secret"));
    for (const address of [
      url,
      url.replace("localhost", "127.0.0.1"),
      "http://[::ffff:10.0.0.1]/",
      "http://0x7f.1/",
    ]) {
      await expect(fetchPublicText(address)).rejects.toMatchObject({
        code: "invalid_request",
        message: "Only public URLs can be fetched.",
      });
    }
  });

  it("rejects a redirect to a private address", async () => {
    const url = await serve((_request, response) => {
      response.writeHead(302, { location: "http://169.254.169.254/latest" }).end();
    });
    const onlyHere = { mayReach: (address: string) => address === "127.0.0.1" || address === "::1" };
    await expect(fetchPublicText(url, onlyHere)).rejects.toMatchObject({
      message: "Only public URLs can be fetched.",
    });
    const circle = await serve((_request, response) => response.writeHead(302, { location: "/" }).end());
    await expect(fetchPublicText(circle, here)).rejects.toMatchObject({
      message: "The address redirects too often.",
    });
  });

  it("reaches a private server that root configured, and follows its redirects to it or to public ones", async () => {
    const other = await serve((_request, response) => response.end("secret"));
    const url = await serve((request, response) => {
      if (request.url === "/new") return response.end("moved");
      const location = request.url === "/elsewhere" ? other : "/new";
      return response.writeHead(301, { location }).end();
    });
    const byRoot = { mayBePrivate: true };
    expect(await fetchPublicText(url, byRoot)).toBe("moved");
    expect(await fetchPublicText(url.replace("localhost", "127.0.0.1"), byRoot)).toBe("moved");
    await expect(fetchPublicText("nonsense", byRoot)).rejects.toMatchObject({ code: "invalid_request" });
    await expect(fetchPublicText(`${url}/elsewhere`, byRoot)).rejects.toMatchObject({
      message: "Only public URLs can be fetched.",
    });
    expect(await fetchPublicText(`${url}/elsewhere`, { ...byRoot, ...here })).toBe("secret");
  });

  it("fails when the response never ends, is too large, is an error or is missing", async () => {
    const silent = await serve(() => {});
    const quick = { ...here, timeoutMs: 200 };
    await expect(fetchPublicText(silent, quick)).rejects.toMatchObject({
      message: "The address did not respond in time.",
    });
    const dripping = await serve((_request, response) => {
      const timer = setInterval(() => response.write("x"), 20);
      response.on("close", () => clearInterval(timer));
    });
    await expect(fetchPublicText(dripping, quick)).rejects.toMatchObject({
      message: "The address did not respond in time.",
    });
    const endless = await serve((_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(65_536)));
        response.once("drain", more);
      };
      more();
    });
    await expect(fetchPublicText(endless, { ...here, maxBytes: 2_000_000 })).rejects.toMatchObject({
      message: "The response is larger than 2 MB.",
    });
    const broken = await serve((_request, response) => response.writeHead(500).end());
    await expect(fetchPublicText(broken, here)).rejects.toMatchObject({
      message: "The address returned status 500.",
    });
    await expect(fetchPublicText("http://localhost:1/", here)).rejects.toMatchObject({
      message: "The address cannot be reached.",
    });
    await expect(fetchPublicText("file:///etc/passwd", here)).rejects.toMatchObject({
      message: "The address must be an http or https URL",
    });
  });

  it("distinguishes public addresses from the others", () => {
    for (const address of [
      "1.1.1.1",
      "100.63.255.255",
      "172.15.0.1",
      "192.0.1.1",
      "198.17.0.1",
      "223.255.0.1",
    ])
      expect(isPublicAddress(address), address).toBe(true);
    for (const address of ["2a00:1450:4001::1", "2400:cb00::1", "2001:4860:4860::8888"])
      expect(isPublicAddress(address), address).toBe(true);
    const special = [
      "0.1.2.3",
      "100.64.0.1",
      "100.127.255.255",
      "168.63.129.16",
      "169.254.169.254",
      "192.0.0.8",
      "192.0.2.1",
      "192.88.99.1",
      "198.18.0.1",
      "198.19.255.255",
      "198.51.100.1",
      "203.0.113.1",
      "224.0.0.1",
      "240.0.0.1",
      "255.255.255.255",
      "172.31.255.255",
      "::",
      "::1",
      "::7f00:1",
      "::8.8.8.8",
      "::ffff:127.0.0.1",
      "::ffff:8.8.8.8",
      "::ffff:0:8.8.8.8",
      "64:ff9b::7f00:1",
      "64:ff9b::8.8.8.8",
      "64:ff9b:1::1",
      "100::1",
      "100:0:0:1::1",
      "2001::1",
      "2001:1::1",
      "2001:2::1",
      "2001:10::1",
      "2001:20::1",
      "2001:db8::1",
      "2002:7f00:1::1",
      "3fff::1",
      "5f00::1",
      "fc00::1",
      "fd00::1",
      "fe80::1",
      "fec0::1",
      "ff02::1",
      "4000::1",
    ];
    for (const address of special) expect(isPublicAddress(address), address).toBe(false);
    for (const address of ["8.8.8.8", "2606:4700::1111"]) expect(isPublicAddress(address)).toBe(true);
    for (const address of [
      "127.0.0.1",
      "10.1.2.3",
      "100.64.0.1",
      "169.254.1.1",
      "::1",
      "fd00::1",
      "::ffff:127.0.0.1",
      "name",
    ]) {
      expect(isPublicAddress(address)).toBe(false);
    }
  });
});

describe.each([
  { name: "of a payment gateway", fetched: publicFetch(() => true) },
  { name: "of an identity provider", fetched: boundedFetch() },
])("a response $name", ({ fetched }) => {
  it("is read up to 2 MB", async () => {
    let written = 0;
    const url = await serve((request, response) => {
      if (request.url === "/short") return response.end("{}");
      const more = () => {
        while (!response.destroyed && written < 512 * 1024 * 1024) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return response.once("drain", more);
        }
        return response.end();
      };
      return more();
    });
    expect(await (await fetched(`${url}/short`)).json()).toEqual({});
    await expect(fetched(url).then((response) => response.text())).rejects.toThrow();
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it("is read up to 2 MB after its decompression", async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024));
    const url = await serve((request, response) => {
      response.setHeader("content-encoding", "gzip");
      response.end(request.url === "/short" ? gzipSync("{}") : bomb);
    });
    expect(await (await fetched(`${url}/short`)).json()).toEqual({});
    await expect(fetched(url).then((response) => response.text())).rejects.toMatchObject({
      cause: { code: "UND_ERR_RES_EXCEEDED_MAX_SIZE" },
    });
  });
});
