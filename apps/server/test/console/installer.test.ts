import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { clients } from "@gateway/shared/connect/clients";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestGateway, type TestGateway } from "../gateway.ts";

const run = promisify(execFile);
const installable = clients.filter((client) => client.files !== undefined);
const everyClient = installable.map(({ id }) => id);

async function pathOf(program: string): Promise<string> {
  return (await run("sh", ["-c", `command -v ${program} || :`])).stdout.trim();
}

/** Knows nothing beyond POSIX, where it is installed. */
const strictShell = pathOf("dash").then((path) => path || "/bin/sh");
const hasCurl = (await pathOf("curl")) !== "";

let gateway: TestGateway;
let key: string;
let home: string;

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.addChannel({ type: 900, name: "Demo", models: ["demo-chat", "demo-chat-mini"] });
  key = (await gateway.addToken()).key;
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "installer-home-"));
});
afterEach(() => rm(home, { recursive: true, force: true }));

interface Ended {
  code: number;
  output: string;
  errors: string;
}

/** Runs the script in the way of `curl … | sh -s -- …`: it is the input of the shell, which has no terminal. */
async function install(
  words: string[],
  env: Record<string, string> = {},
  onErrors: (errors: string) => void = () => {},
): Promise<Ended> {
  const script = await (await fetch(`${gateway.url}/install.sh`)).text();
  const shell = spawn(await strictShell, ["-s", "--", ...words], {
    env: { HOME: home, PATH: process.env["PATH"] ?? "", GATEWAY_API_KEY: key, ...env },
    timeout: 60_000,
    detached: true,
  });
  const ended: Ended = { code: 0, output: "", errors: "" };
  shell.stdout.on("data", (bytes) => (ended.output += String(bytes)));
  shell.stderr.on("data", (bytes) => {
    ended.errors += String(bytes);
    onErrors(ended.errors);
  });
  shell.stdin.end(script);
  const [code] = (await once(shell, "close")) as [number | null];
  return { ...ended, code: code ?? -1 };
}

async function put(path: string, content: string, mode = 0o644): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), content);
  await chmod(join(home, path), mode);
}

/** Path, mode and content of everything below the home folder. */
async function contentsOf(folder = home): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const entries = await Promise.all(
    found.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const { mode } = await stat(path);
      const content = entry.isFile() ? await readFile(path, "latin1") : "";
      return [path.slice(home.length + 1), `${(mode & 0o777).toString(8)} ${content}`] as const;
    }),
  );
  return Object.fromEntries(entries);
}

describe.skipIf(!hasCurl)("the installer for sh", () => {
  it("writes the settings of every client, makes a call with each, and leaves nothing after undo", async () => {
    const before = await contentsOf();
    // The demo provider describes its models.
    const connection = { baseUrl: gateway.url, model: "demo-chat", contextWindow: "128000" };
    const ended = await install([...everyClient, "--model", "demo-chat"]);
    expect(ended.errors).toBe("");
    expect(ended.code).toBe(0);
    for (const client of installable) {
      expect(ended.output).toContain(`${client.id}: connected. A call with demo-chat was answered.`);
      for (const file of client.files?.({ ...connection, key }) ?? []) {
        expect(await readFile(join(home, file.path), "utf8"), file.path).toBe(file.content);
        // The key is for its owner only.
        expect((await stat(join(home, file.path))).mode & 0o077, file.path).toBe(0);
      }
    }
    const calls = await gateway.logs(everyClient.length);
    expect(calls.filter((call) => call.outcome === "complete").length).toBeGreaterThanOrEqual(
      everyClient.length,
    );
    expect((await install(["--undo"])).code).toBe(0);
    expect(Object.keys(await contentsOf()).filter((path) => !path.startsWith(".local"))).toEqual(
      Object.keys(before),
    );
  });

  it("merges into existing files and restores them byte for byte", async () => {
    await put(
      ".claude/settings.json",
      '{\n    "permissions": { "allow": ["Bash(ls)"] },\n    "apiKeyHelper": "old",\n    "env": { "ANTHROPIC_API_KEY": "old", "FOO": "1" }\n}',
      0o640,
    );
    await put(
      ".codex/config.toml",
      '# mine\nmodel = "o3"\nnotify = [\n  "a",\n  ["b"]\n]\n\n[model_providers.gateway]\nname = "old"\n\n[model_providers.gateway.http_headers]\nx = "1"\n\n[projects."/home/me"]\ntrust_level = "trusted"\r\n',
    );
    await put(".gemini/.env", "OTHER=1\nexport GEMINI_API_KEY='old'\n");
    await put(".qwen/settings.json", "");
    const before = await contentsOf();
    const ended = await install(["claude-code", "codex", "gemini-cli", "qwen-code", "--model", "demo-chat"]);
    expect(ended.errors).toBe("");
    expect(ended.code).toBe(0);

    const claude = JSON.parse(await readFile(join(home, ".claude/settings.json"), "utf8"));
    expect(claude).toMatchObject({ permissions: { allow: ["Bash(ls)"] }, env: { FOO: "1" } });
    expect(claude.env.ANTHROPIC_AUTH_TOKEN).toBe(key);
    expect(claude.env).not.toHaveProperty("ANTHROPIC_API_KEY");
    expect(claude).not.toHaveProperty("apiKeyHelper");
    const codex = await readFile(join(home, ".codex/config.toml"), "utf8");
    expect(codex).toMatch(/^model = "demo-chat"\r?\nmodel_provider = "gateway"\r?\n/);
    expect(codex).not.toMatch(/"o3"|"old"|http_headers/);
    expect(codex).toContain("# mine");
    expect(codex).toMatch(/notify = \[\r?\n {2}"a",\r?\n {2}\["b"\]\r?\n\]/);
    expect(codex).toContain('[projects."/home/me"]');
    expect(await readFile(join(home, ".gemini/.env"), "utf8")).toBe(
      `OTHER=1\nGEMINI_API_KEY=${key}\nGOOGLE_GEMINI_BASE_URL=${gateway.url}\n`,
    );
    // Again, with another model: undo still restores the first state.
    await install(["claude-code", "codex", "--model", "demo-chat-mini", "--no-test"]);
    expect(await readFile(join(home, ".codex/config.toml"), "utf8")).toContain("demo-chat-mini");
    expect((await install(["--undo"])).code).toBe(0);
    const after = await contentsOf();
    for (const [path, content] of Object.entries(before)) expect(after[path], path).toBe(content);
    expect((await install(["--undo"])).output).toBe("There is nothing to undo.\n");
  });

  it("keeps a copy of a file that was changed after it", async () => {
    await put(".claude/settings.json", "{}");
    await install(["claude-code", "--model", "demo-chat", "--no-test"]);
    await put(".claude/settings.json", '{"mine": true}');
    const ended = await install(["--undo"]);
    expect(ended.output).toContain("was changed since");
    expect(await readFile(join(home, ".claude/settings.json"), "utf8")).toBe("{}");
    expect(await readFile(join(home, ".claude/settings.json.before-undo"), "utf8")).toBe('{"mine": true}');
  });

  it.each([
    [".claude/settings.json", "claude-code", "{ // mine\n}", "It has comments or is not valid JSON."],
    [".claude/settings.json", "claude-code", '{"env": "x"}', "'env' is not an object."],
    [".codex/config.toml", "codex", 'x = """\n[a]\n"""\n', "It has texts of several lines."],
    [".codex/config.toml", "codex", "model_providers = { a = {} }\n", "It defines model_providers"],
    [".gemini/.env", "gemini-cli", 'A="1\nGEMINI_API_KEY=2"\n', "It has values of several lines."],
  ])("does not touch %s of %s when it has %j", async (path, client, content, reason) => {
    await put(path, content);
    const before = await contentsOf();
    const ended = await install([client, "--model", "demo-chat"]);
    expect(ended.code).toBe(1);
    expect(ended.errors).toContain(reason);
    expect(ended.errors).toContain("Add these settings to it:");
    expect(ended.errors).not.toContain(key);
    const after = await contentsOf();
    for (const [each, text] of Object.entries(before)) expect(after[each]).toBe(text);
  });

  it("does not touch an existing file without Node.js, and writes a new one", async () => {
    const tools = join(home, "tools");
    await mkdir(tools);
    const names = "awk cat cksum cp curl cut dirname grep head mkdir mktemp mv rm rmdir sed tr uniq wc";
    for (const name of names.split(" ")) await symlink(await pathOf(name), join(tools, name));
    await put(".claude/settings.json", '{"a": 1}');
    const ended = await install(["claude-code", "codex", "--model", "demo-chat"], { PATH: tools });
    expect(ended.errors).toContain("merging needs Node.js");
    expect(ended.code).toBe(1);
    expect(await readFile(join(home, ".claude/settings.json"), "utf8")).toBe('{"a": 1}');
    expect(await readFile(join(home, ".codex/config.toml"), "utf8")).toContain(key);
  });

  it.each([
    ["installer-model", "128000"],
    ["claude-installer-model", undefined],
  ])("assumes a context window for Claude Code of %s without a description: %s", async (model, tokens) => {
    const mapped = { models: [model], model_mapping: { [model]: "demo-chat" } };
    const { id } = await gateway.addChannel({ type: 900, name: model, ...mapped });
    expect((await install(["claude-code", "codex", "pi", "--model", model])).code).toBe(0);
    const { env } = JSON.parse(await readFile(join(home, ".claude/settings.json"), "utf8"));
    expect(env.CLAUDE_CODE_MAX_CONTEXT_TOKENS).toBe(tokens);
    for (const client of installable.filter(({ id: name }) => /^(?:claude-code|codex|pi)$/.test(name)))
      for (const file of client.files?.({ baseUrl: gateway.url, model, key }) ?? [])
        expect(await readFile(join(home, file.path), "utf8")).toBe(file.content);
    await gateway.api("DELETE", `/channel/${id}`);
  });

  it("gives Claude Code the key's Haiku for its calls in the background", async () => {
    const models = ["claude-sonnet-4-5", "claude-haiku-4-5"];
    const { id } = await gateway.addChannel({ type: 900, name: "claude", models });
    expect((await install(["claude-code", "--model", "claude-sonnet-4-5", "--no-test"])).errors).toBe("");
    const { env } = JSON.parse(await readFile(join(home, ".claude/settings.json"), "utf8"));
    expect(env).toMatchObject({
      ANTHROPIC_MODEL: "claude-sonnet-4-5",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "claude-haiku-4-5",
    });
    await gateway.api("DELETE", `/channel/${id}`);
  });

  it("lets Codex read the catalogue, unless it knows the model, and keeps other features", async () => {
    const known = "gpt-5.6-sol";
    const mapped = { models: [known], model_mapping: { [known]: "demo-chat" } };
    const { id } = await gateway.addChannel({ type: 900, name: known, ...mapped });
    await put(
      ".codex/config.toml",
      "[features]\nweb_search = true\napi_key_model_discovery = false\n\n[tui]\nx = 1\n",
    );
    const settings = () => readFile(join(home, ".codex/config.toml"), "utf8");
    expect((await install(["codex", "--model", "demo-chat", "--no-test"])).errors).toBe("");
    expect((await settings()).match(/\[features\]/g)).toHaveLength(1);
    expect(await settings()).toContain("[features]\napi_key_model_discovery = true\nweb_search = true\n");
    expect(await settings()).toContain("[tui]\nx = 1");
    expect(await settings()).toContain(`model_catalog_url = "${gateway.url}/v1/models"`);
    await put(".codex/config.toml", "");
    expect((await install(["codex", "--model", known, "--no-test"])).errors).toBe("");
    expect(await settings()).toContain(`model = "${known}"`);
    expect(await settings()).not.toMatch(/features|model_catalog_url/);
    await gateway.api("DELETE", `/channel/${id}`);
  });

  it("adds a status line with what is left of the key's limits, unless there is one", async () => {
    const mine = { type: "command", command: "mine" };
    await put(".claude/settings.json", JSON.stringify({ statusLine: mine }));
    expect((await install(["claude-code", "--model", "demo-chat", "--no-test"])).errors).toBe("");
    const settings = JSON.parse(await readFile(join(home, ".claude/settings.json"), "utf8"));
    expect(settings.statusLine).toEqual(mine);
    expect((await install(["--undo"])).code).toBe(0);
    await put(".claude/settings.json", "{}");
    expect((await install(["claude-code", "--model", "demo-chat", "--no-test"])).errors).toBe("");
    const { statusLine } = JSON.parse(await readFile(join(home, ".claude/settings.json"), "utf8"));
    const show = async (env: Record<string, string> = {}) => {
      const shown = { env: { HOME: home, PATH: process.env["PATH"] ?? "", ...env } };
      return (await run(await strictShell, ["-c", statusLine.command], shown)).stdout;
    };
    expect(await show()).toMatch(/^\$\d+\.\d\d left\n$/);
    expect(
      await show({ ANTHROPIC_BASE_URL: "https://other.example", ANTHROPIC_AUTH_TOKEN: "sk-other" }),
    ).toBe("");
    // Without an answer it prints the last one.
    const [cache = ""] = await readdir(join(home, ".cache/gateway-status"));
    await writeFile(join(home, ".cache/gateway-status", cache), "1\n$7.00 left\n");
    const script = await readFile(join(home, ".claude/gateway-status.sh"), "utf8");
    await writeFile(join(home, ".claude/gateway-status.sh"), script.replace("/v1/usage", "/nothing"));
    expect(await show()).toBe("$7.00 left\n");
  });

  it("follows the folders that clients let their users move", async () => {
    const env = { CODEX_HOME: join(home, "elsewhere") };
    expect((await install(["codex", "--model", "demo-chat", "--no-test"], env)).code).toBe(0);
    expect(await readFile(join(home, "elsewhere/config.toml"), "utf8")).toContain(key);
  });

  it("reports why a call failed", async () => {
    const ended = await install(["claude-code", "--model", "no-such-model"]);
    expect(ended.code).toBe(1);
    expect(ended.errors).toMatch(/^claude-code: the call with no-such-model failed \(\d{3}\): \S/m);
  });

  it("signs in with the browser when it has no key", async () => {
    const approve = async (errors: string) => {
      const code = /code ([A-Z]{4}-[A-Z]{4}) at/.exec(errors)?.[1];
      if (code === undefined || approved) return;
      approved = true;
      await gateway.api("POST", `/device/${code}/approve`, { name: "installer" });
    };
    let approved = false;
    const env = { GATEWAY_API_KEY: "" };
    const ended = await install(
      ["claude-code", "--model", "demo-chat"],
      env,
      (errors) => void approve(errors),
    );
    expect(ended.errors).toContain(`${gateway.url}/device?code=`);
    expect(ended.output).toContain("claude-code: connected.");
    expect(ended.code).toBe(0);
    const settings = JSON.parse(await readFile(join(home, ".claude/settings.json"), "utf8"));
    expect(settings.env.ANTHROPIC_AUTH_TOKEN).toMatch(/^sk-/);
    expect(settings.env.ANTHROPIC_AUTH_TOKEN).not.toBe(key);
  });

  it("asks for the key with --ask-key, which needs a terminal", async () => {
    const ended = await install(["claude-code", "--ask-key"], { GATEWAY_API_KEY: "" });
    expect([ended.code, ended.errors]).toEqual([1, expect.stringContaining("Set GATEWAY_API_KEY")]);
  });

  it.each([
    [["claude-code", "--model", 'x"$(touch y)'], {}, "no name that the installer can write"],
    [["claude-code", "--model", "demo-chat"], { GATEWAY_API_KEY: "sk-a b" }, "not a key"],
    [["claude-cod"], {}, "Unknown client claude-cod."],
    [["--modle", "x"], {}, "Unknown option --modle."],
    [["claude-code"], {}, "Name a model with --model:\ndemo-chat"],
  ])("refuses %j", async (words, env, reason) => {
    const ended = await install(words, env);
    expect(ended.code).toBe(1);
    expect(ended.errors).toContain(reason);
    expect(Object.keys(await contentsOf())).toEqual([]);
  });

  it("names the configured address, not the one of the request", async () => {
    const text = async () =>
      (await fetch(`${gateway.url}/install.sh`, { headers: { "x-forwarded-host": "other.example" } })).text();
    expect(await text()).toContain("address='http://other.example'");
    await gateway.api("PUT", "/option", { key: "ServerAddress", value: "https://gateway.example" });
    await expect.poll(text).toContain("address='https://gateway.example'");
    await gateway.api("PUT", "/option", { key: "ServerAddress", value: "" });
    await expect.poll(text).not.toContain("gateway.example'");
  });
});

describe("the installer for PowerShell", () => {
  it("contains the same settings, and ends every text", async () => {
    const response = await fetch(`${gateway.url}/install.ps1`);
    expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const script = await response.text();
    // PowerShell 5 reads other characters in the code page of the machine.
    expect(script).toMatch(/^[\x20-\x7E\n]+$/);
    expect(script).not.toMatch(/@[A-Z_]+@/);
    for (const client of installable)
      for (const file of client.files?.({
        baseUrl: gateway.url,
        model: "__GATEWAY_MODEL__",
        key: "__GATEWAY_KEY__",
        contextWindow: "__GATEWAY_WINDOW__",
        backgroundModel: "__GATEWAY_BACKGROUND__",
      }) ?? [])
        expect(script).toContain(`  '${file.path}' = @'\n${file.content}'@`);
    // A here-string begins at the end of a line and ends at the start of one.
    const starts = script.split("\n").filter((line) => line.endsWith("@'")).length;
    const ends = script.split("\n").filter((line) => line.startsWith("'@")).length;
    expect(starts).toBe(ends);
    const code = script.replaceAll(/@'\n[\s\S]*?\n'@/g, "''").replaceAll(/'[^'\n]*'|"[^"\n]*"|#.*/g, "");
    for (const [open, close] of ["{}", "()", "[]"])
      expect(code.split(open ?? "").length, open).toBe(code.split(close ?? "").length);
  });
});
