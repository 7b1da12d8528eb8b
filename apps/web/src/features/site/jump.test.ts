import { expect, it } from "vitest";
import { appAddress } from "./jump.ts";

it("opens the known chat apps and nothing else", () => {
  const ask = (url: string) => appAddress(`?url=${encodeURIComponent(url)}`);
  expect(ask("opencat://team/join?domain=https://ai.example&token=sk-1")).toBe(
    "opencat://team/join?domain=https://ai.example&token=sk-1",
  );
  expect(ask("ama://set-api-key?server=x&key=sk-1")).toBe("ama://set-api-key?server=x&key=sk-1");
  for (const other of ["https://evil.example", "javascript:alert(1)", "opencat", "data:text/html,x", ""])
    expect(ask(other)).toBeNull();
  expect(appAddress("")).toBeNull();
});
