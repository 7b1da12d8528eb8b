import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseKeyReference } from "@gateway/shared/channels/key-reference";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { testKeySources } from "#test/key-references.ts";
import { createKeyReader } from "./read-key.ts";

/** A server of which the test decides how it answers. */
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
let requested: { method: string; path: string; headers: IncomingMessage["headers"]; body: string }[] = [];
let address: string;
let elsewhere: string;
let requestedElsewhere = 0;
let folder: string;

const server = createServer((request, response) => {
  let body = "";
  request.on("data", (piece: Buffer) => (body += piece.toString()));
  request.on("end", () => {
    requested.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body });
    answer(request, response, body);
  });
});
const other = createServer((_request, response) => {
  requestedElsewhere += 1;
  response.end("{}");
});

const listen = (which: typeof server) =>
  new Promise<string>((done) =>
    which.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(which.address() as AddressInfo).port}`)),
  );

beforeAll(async () => {
  address = await listen(server);
  elsewhere = await listen(other);
});
beforeEach(async () => {
  requested = [];
  folder = await mkdtemp(join(tmpdir(), "channel-keys-"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});
afterAll(() => {
  for (const each of [server, other]) {
    each.closeAllConnections();
    each.close();
  }
});

function json(value: unknown, status = 200): typeof answer {
  return (_request, response) => response.writeHead(status).end(JSON.stringify(value));
}

function read(text: string, environment: Record<string, string> = {}, timeoutMs = 30_000, scope = "") {
  const reference = parseKeyReference(text);
  if (reference === undefined) throw new Error(`${text} is not a reference.`);
  return createKeyReader(testKeySources(environment), { now: Date.now, timeoutMs }).read(reference, scope);
}

describe("a variable", () => {
  it("is read when its name begins with CHANNEL_KEY_", async () => {
    const environment = { CHANNEL_KEY_A: " sk-1\n", CHANNEL_KEY_B: "sk-1\nX-Injected: 1", SECRET_KEY: "no" };
    expect(await read("env:CHANNEL_KEY_A", environment)).toEqual({ text: "sk-1" });
    await expect(read("env:CHANNEL_KEY_B", environment)).rejects.toThrow("it contains a line break");
    await expect(read("env:CHANNEL_KEY_C", environment)).rejects.toThrow("this variable is not set");
    expect([...testKeySources(environment).variables.keys()]).toEqual(["CHANNEL_KEY_A", "CHANNEL_KEY_B"]);
  });
});

describe("a file", () => {
  const at = (path: string) => read(`file:${path}`, { CHANNEL_KEYS_DIR: folder });

  it("is read below CHANNEL_KEYS_DIR, also through a link that stays there", async () => {
    await mkdir(join(folder, "..data"));
    await writeFile(join(folder, "..data", "openai"), "sk-file\n");
    await symlink(join("..data", "openai"), join(folder, "openai"));
    expect(await at("openai")).toEqual({ text: "sk-file" });
    await writeFile(join(folder, "google.json"), JSON.stringify({ a: "line\nbreak" }, null, 2));
    expect(await at("google.json")).toEqual({ text: '{"a":"line\\nbreak"}' });
  });

  it("is refused outside of it, however the link leads there", async () => {
    await writeFile(join(folder, "..", "outside-key"), "sk-outside");
    await symlink("/etc/passwd", join(folder, "passwd"));
    await symlink("../outside-key", join(folder, "near"));
    await symlink("/etc", join(folder, "etc"));
    const inside = join(folder, "keys");
    await mkdir(inside);
    await mkdir(`${inside}-2`);
    await writeFile(join(`${inside}-2`, "key"), "sk-sibling");
    await symlink("../keys-2/key", join(inside, "sibling"));
    for (const path of ["passwd", "near", "etc/passwd"])
      await expect(at(path), path).rejects.toThrow("it is outside of CHANNEL_KEYS_DIR");
    await expect(read("file:sibling", { CHANNEL_KEYS_DIR: inside })).rejects.toThrow("outside");
    await rm(join(folder, "..", "outside-key"));
  });

  it("is refused when it is huge, empty, a folder or a pipe, or the folder is not set", async () => {
    await writeFile(join(folder, "huge"), "a".repeat(100_000));
    await writeFile(join(folder, "empty"), "\n");
    await writeFile(join(folder, "two"), "sk-1\nsk-2");
    execFileSync("mkfifo", [join(folder, "pipe")]);
    await mkdir(join(folder, "folder"));
    await expect(at("huge")).rejects.toThrow("longer than 16384 bytes");
    await expect(at("empty")).rejects.toThrow("it is empty");
    await expect(at("two")).rejects.toThrow("it contains a line break");
    await expect(at("pipe")).rejects.toThrow("it is not a file");
    await expect(at("folder")).rejects.toThrow("it is not a file");
    await expect(at("missing")).rejects.toThrow("there is no such file");
    await expect(read("file:a")).rejects.toThrow("CHANNEL_KEYS_DIR is not set");
  });
});

describe("Vault", () => {
  const reference = "vault:secret/data/gateway/openai#key";
  const settings = () => ({
    VAULT_ADDR: `${address}/`,
    VAULT_TOKEN: "hvs.the-token",
    VAULT_ALLOWED_PATHS: "secret/data/gateway,kv/one",
  });

  it("is read in both versions of the key-value engine", async () => {
    answer = json({ data: { data: { key: "sk-2" }, metadata: { version: 3 } } });
    expect(await read(reference, { ...settings(), VAULT_NAMESPACE: "team" })).toEqual({ text: "sk-2" });
    expect(requested).toMatchObject([
      {
        method: "GET",
        path: "/v1/secret/data/gateway/openai",
        headers: { "x-vault-token": "hvs.the-token", "x-vault-namespace": "team" },
      },
    ]);
    answer = json({ data: { key: "sk-1" } });
    expect(await read("vault:kv/one#key", settings())).toEqual({ text: "sk-1" });
  });

  it("is not requested for a path that VAULT_ALLOWED_PATHS does not contain", async () => {
    answer = json({ data: { key: "sk-1" } });
    for (const path of ["secret/data/gateway-2/openai", "kv/one2", "sys/raw", "secret/data"])
      await expect(read(`vault:${path}#key`, settings())).rejects.toThrow("VAULT_ALLOWED_PATHS");
    const { VAULT_ALLOWED_PATHS: _paths, ...without } = settings();
    await expect(read(reference, without)).rejects.toThrow("VAULT_ALLOWED_PATHS");
    await expect(read(reference)).rejects.toThrow("VAULT_ADDR is not set");
    expect(requested).toEqual([]);
  });

  it("reports a refusal, a missing secret, a missing field and a foreign answer", async () => {
    const cases: [typeof answer, string][] = [
      [
        json({ errors: ["permission denied"] }, 403),
        "Vault does not allow the token to read this path (403)",
      ],
      [json({ errors: [] }, 404), "Vault has no secret at this path (404)"],
      [json({ data: { data: { other: "x" }, metadata: {} } }), 'the secret has no text field "key"'],
      [json({ data: { data: { key: 5 }, metadata: {} } }), 'the secret has no text field "key"'],
      [json({ data: { data: { key: "a\r\nb: c" }, metadata: {} } }), "it contains a line break"],
      [json([]), "Vault returned no secret"],
      [(_request, response) => response.end("<html>"), "the answer of Vault is not JSON"],
      [(_request, response) => response.end("a".repeat(300_000)), "the answer of Vault is too long"],
      [(request) => request.socket.destroy(), "Vault cannot be reached"],
    ];
    for (const [answered, message] of cases) {
      answer = answered;
      await expect(read(reference, settings()), message).rejects.toThrow(message);
    }
  });

  it("does not follow a redirect, so its token reaches no other host", async () => {
    answer = (request, response) =>
      response.writeHead(307, { location: `${elsewhere}${request.url ?? ""}` }).end();
    await expect(read(reference, settings())).rejects.toThrow("a redirect, which is not followed");
    expect(requestedElsewhere).toBe(0);
  });

  it("is given up when it does not respond, or stops in the middle of its answer", async () => {
    answer = () => {};
    await expect(read(reference, settings(), 100)).rejects.toThrow("it was not read within 0.1 seconds");
    answer = (_request, response) => response.write('{"data":');
    await expect(read(reference, settings(), 100)).rejects.toThrow("it was not read within 0.1 seconds");
  });

  it("is read with a token from a file, which may change", async () => {
    answer = json({ data: { key: "sk-1" } });
    const file = join(folder, "token");
    const { VAULT_TOKEN: _token, ...rest } = settings();
    const environment = { ...rest, VAULT_TOKEN_FILE: file };
    await expect(read("vault:kv/one#key", environment)).rejects.toThrow("VAULT_TOKEN_FILE cannot be read");
    for (const token of ["hvs.one", "hvs.two"]) {
      await writeFile(file, `${token}\n`);
      await read("vault:kv/one#key", environment);
      expect(requested.at(-1)?.headers["x-vault-token"]).toBe(token);
    }
    await expect(read("vault:kv/one#key", rest)).rejects.toThrow("none of VAULT_TOKEN");
  });
});

describe("AWS", () => {
  beforeEach(() => {
    // No identity of this machine or its user takes part.
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"])
      vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "none"));
    vi.stubEnv("AWS_CONFIG_FILE", join(folder, "none"));
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", undefined);
    vi.stubEnv("AWS_EC2_METADATA_SERVICE_ENDPOINT", address);
  });

  const expiration = new Date(Date.now() + 3_600_000).toISOString();

  /** EC2's metadata service, version 2. */
  const metadata: typeof answer = ({ method, url = "", headers }, response) => {
    if (method === "PUT" && url === "/latest/api/token") response.end("metadata-token");
    else if (headers["x-aws-ec2-metadata-token"] !== "metadata-token") response.writeHead(401).end();
    else if (url === "/latest/meta-data/iam/security-credentials/") response.end("instance-role");
    else
      json({
        Code: "Success",
        AccessKeyId: "ASIAINSTANCE",
        SecretAccessKey: "instance-secret",
        Token: "instance-session",
        Expiration: expiration,
      })(null as never, response, "");
  };

  it("signs in with the role of the instance", async () => {
    answer = metadata;
    expect(await read("aws:eu-west-1")).toEqual({
      text: "eu-west-1|ASIAINSTANCE|instance-secret|instance-session",
      expiresAt: Date.parse(expiration),
    });
  });

  const issued = (action: string) =>
    `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>` +
    "<AccessKeyId>ASIAROLE</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey>" +
    `<SessionToken>role-session</SessionToken><Expiration>${expiration}</Expiration></Credentials>` +
    `</${action}Result></${action}Response>`;

  const xml =
    (text: string, status = 200): typeof answer =>
    (_request, response) =>
      response.writeHead(status, { "content-type": "text/xml" }).end(text);

  it("assumes a role with the machine's identity", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOWN");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "own-secret");
    vi.stubEnv("AWS_ENDPOINT_URL_STS", address);
    answer = xml(issued("AssumeRole"));
    const role = "arn:aws:iam::123456789012:role/bedrock";
    expect(await read(`aws:us-east-1?role=${role}&external_id=abc`)).toEqual({
      text: "us-east-1|ASIAROLE|role-secret|role-session",
      expiresAt: Date.parse(expiration),
    });
    const form = new URLSearchParams(requested[0]?.body);
    expect(Object.fromEntries(form)).toMatchObject({
      Action: "AssumeRole",
      RoleArn: role,
      ExternalId: "abc",
      RoleSessionName: "gateway",
    });
    expect(requested[0]?.headers.authorization).toContain("Credential=AKIAOWN/");
  });

  it("signs in with a web identity, as pods of EKS do", async () => {
    await writeFile(join(folder, "web-token"), "web-identity-token");
    vi.stubEnv("AWS_WEB_IDENTITY_TOKEN_FILE", join(folder, "web-token"));
    vi.stubEnv("AWS_ROLE_ARN", "arn:aws:iam::123456789012:role/pod");
    vi.stubEnv("AWS_ENDPOINT_URL_STS", address);
    answer = xml(issued("AssumeRoleWithWebIdentity"));
    expect((await read("aws:eu-west-1")).text).toBe("eu-west-1|ASIAROLE|role-secret|role-session");
    expect(new URLSearchParams(requested[0]?.body).get("WebIdentityToken")).toBe("web-identity-token");
  });

  it("reports a role that it may not assume, and a machine without identity", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOWN");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "own-secret");
    vi.stubEnv("AWS_ENDPOINT_URL_STS", address);
    answer = xml(
      '<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>AccessDenied</Code>' +
        "<Message>User AKIAOWNOWNOWN is not authorized to perform: sts:AssumeRole</Message></Error></ErrorResponse>",
      403,
    );
    const refused = read("aws:us-east-1?role=arn:aws:iam::123456789012:role/x");
    await expect(refused).rejects.toThrow("User [removed] is not authorized to perform: sts:AssumeRole");
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    await expect(read("aws:us-east-1")).rejects.toThrow("Could not load credentials");
  });

  it("reads a secret, or one field of it", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAOWN");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "own-secret");
    vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", address);
    answer = json({ Name: "prod/openai", SecretString: '{"key":"sk-field","port":1}' });
    expect(await read("aws-sm:eu-west-1/prod/openai#key")).toEqual({ text: "sk-field" });
    expect(JSON.parse(requested[0]?.body ?? "")).toMatchObject({ SecretId: "prod/openai" });
    expect(requested[0]?.headers.authorization).toContain("/eu-west-1/secretsmanager/");
    await expect(read("aws-sm:eu-west-1/prod/openai#port")).rejects.toThrow('no text field "port"');
    await expect(read("aws-sm:eu-west-1/prod/openai#constructor")).rejects.toThrow("no text field");
    answer = json({ Name: "plain", SecretString: "sk-plain" });
    expect(await read("aws-sm:eu-west-1/plain")).toEqual({ text: "sk-plain" });
    answer = json({ __type: "ResourceNotFoundException", message: "Secrets Manager can't find it." }, 400);
    await expect(read("aws-sm:eu-west-1/missing")).rejects.toThrow("Secrets Manager can't find it");
    answer = () => {};
    await expect(read("aws-sm:eu-west-1/hangs", {}, 200)).rejects.toThrow("not read within 0.2 seconds");
  });
});

describe("Google", () => {
  beforeEach(() => {
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", undefined);
    vi.stubEnv("GOOGLE_CLOUD_PROJECT", undefined);
    vi.stubEnv("CLOUDSDK_CONFIG", folder);
    vi.stubEnv("GCE_METADATA_HOST", address.slice("http://".length));
    vi.stubEnv("METADATA_SERVER_DETECTION", "assume-present");
  });

  const metadata: typeof answer = ({ url = "" }, response) => {
    response.setHeader("metadata-flavor", "Google");
    if (url.includes("/token")) response.setHeader("content-type", "application/json");
    if (url.includes("/token")) response.end('{"access_token":"ya29.machine","expires_in":1800}');
    else if (url.includes("project-id")) response.end("metadata-project");
    else response.end("default");
  };

  it("signs in with the identity of the machine", async () => {
    // Google's library would ask the gcloud of this machine for its project, which takes seconds.
    vi.stubEnv("PATH", folder);
    answer = metadata;
    const { text, expiresAt = 0 } = await read("google:");
    expect(JSON.parse(text)).toEqual({
      type: "access_token",
      access_token: "ya29.machine",
      project_id: "metadata-project",
    });
    expect(Math.abs(expiresAt - Date.now() - 1_800_000)).toBeLessThan(60_000);
    expect(JSON.parse((await read("google:?project=my-project")).text)).toMatchObject({
      project_id: "my-project",
    });
  });

  it("signs in with workload identity federation", async () => {
    await writeFile(join(folder, "subject"), "subject-token");
    const file = join(folder, "federation.json");
    await writeFile(
      file,
      JSON.stringify({
        type: "external_account",
        audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x",
        subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
        token_url: `${address}/v1/token`,
        credential_source: { file: join(folder, "subject") },
      }),
    );
    vi.stubEnv("GOOGLE_APPLICATION_CREDENTIALS", file);
    answer = (_request, response) => {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          access_token: "ya29.federated",
          expires_in: 3_600,
          token_type: "Bearer",
          issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        }),
      );
    };
    const { text } = await read("google:?project=my-project");
    expect(JSON.parse(text)).toMatchObject({ access_token: "ya29.federated", project_id: "my-project" });
    expect(requested.some(({ body }) => body.includes("subject_token=subject-token"))).toBe(true);
  });

  it("reports a metadata server that refuses, and one that does not respond", async () => {
    answer = (_request, response) =>
      response
        .writeHead(404, { "metadata-flavor": "Google", "content-type": "text/plain" })
        .end("no account");
    await expect(read("google:?project=my-project")).rejects.toThrow();
    answer = () => {};
    await expect(read("google:?project=my-project", {}, 300)).rejects.toThrow("not read within 0.3 seconds");
  });
});

describe("Azure", () => {
  beforeEach(() => {
    vi.stubEnv("IDENTITY_ENDPOINT", `${address}/msi/token`);
    vi.stubEnv("IDENTITY_HEADER", "identity-header");
  });

  it("signs in with a managed identity of the machine, for the service that is called", async () => {
    const expires = Math.floor(Date.now() / 1_000) + 7_200;
    answer = json({
      access_token: "eyJ.azure.token",
      expires_on: String(expires),
      token_type: "Bearer",
      resource: "x",
    });
    const scope = "https://cognitiveservices.azure.com";
    const client = "00000000-0000-4000-8000-00000000000a";
    const { text, expiresAt } = await read(`azure:?client_id=${client}`, {}, 30_000, scope);
    expect(text).toBe("Bearer eyJ.azure.token");
    expect(expiresAt).toBe(expires * 1_000);
    const query = new URL(requested[0]?.path ?? "", address).searchParams;
    expect(query.get("resource")).toBe(scope);
    expect(query.get("client_id")).toBe(client);
    expect(requested[0]?.headers["x-identity-header"]).toBe("identity-header");
  });

  it("reports a refusal, and an endpoint that does not respond", async () => {
    answer = json({ statusCode: 400, message: "No managed identity is assigned." }, 400);
    await expect(read("azure:", {}, 30_000, "https://ai.azure.com")).rejects.toThrow();
    answer = () => {};
    await expect(read("azure:", {}, 300, "https://ai.azure.com")).rejects.toThrow(
      "not read within 0.3 seconds",
    );
  });
});
