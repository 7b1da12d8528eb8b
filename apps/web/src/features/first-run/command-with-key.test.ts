import { expect, it } from "vitest";
import { commandWithKey, firstClients } from "./command-with-key.ts";

const connection = { baseUrl: "http://localhost:3000", model: "demo-chat", key: "sk-123" };

it("a command of a first call contains address, model and key", () => {
  for (const client of firstClients)
    for (const command of [
      commandWithKey(client, connection).posix,
      commandWithKey(client, connection).powershell,
    ]) {
      expect(command, client).toContain("http://localhost:3000");
      expect(command, client).toContain("demo-chat");
      expect(command, client).toContain("sk-123");
    }
});

it("an agent's installer gets the key in its environment, not as an argument", () => {
  const { posix, powershell } = commandWithKey("claude-code", connection);
  expect(posix.split("\n")[0]).toBe("export GATEWAY_API_KEY=sk-123");
  expect(posix.split("\n")[1]).not.toContain("sk-123");
  expect(powershell).toMatch(/^\$env:GATEWAY_API_KEY = 'sk-123'\n/);
});
