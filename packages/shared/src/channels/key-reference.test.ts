import { describe, expect, it } from "vitest";
import { formatIdentity, parseKeyReference, referenceSource } from "./key-reference.ts";

describe("a reference to a key", () => {
  it.each([
    ["env:CHANNEL_KEY_OPENAI", { source: "env", name: "CHANNEL_KEY_OPENAI" }],
    ["file:openai/main.key", { source: "file", path: "openai/main.key" }],
    [
      "vault:secret/data/gateway/openai#key",
      { source: "vault", path: "secret/data/gateway/openai", field: "key" },
    ],
    [
      "aws-sm:eu-west-1/prod/openai#key",
      { source: "aws-sm", region: "eu-west-1", name: "prod/openai", field: "key" },
    ],
    ["aws-sm:us-gov-west-1/openai", { source: "aws-sm", region: "us-gov-west-1", name: "openai", field: "" }],
    ["aws:us-east-1", { source: "aws", region: "us-east-1", role: "", externalId: "" }],
    [
      "aws:us-east-1?role=arn:aws:iam::123456789012:role/team/bedrock&external_id=a=b",
      {
        source: "aws",
        region: "us-east-1",
        role: "arn:aws:iam::123456789012:role/team/bedrock",
        externalId: "a=b",
      },
    ],
    ["google:", { source: "google", project: "", serviceAccount: "" }],
    [
      "google:?project=my-project&service_account=gw@my-project.iam.gserviceaccount.com",
      {
        source: "google",
        project: "my-project",
        serviceAccount: "gw@my-project.iam.gserviceaccount.com",
      },
    ],
    ["azure:", { source: "azure", clientId: "" }],
    [
      "azure:?client_id=00000000-0000-4000-8000-00000000000a",
      { source: "azure", clientId: "00000000-0000-4000-8000-00000000000a" },
    ],
  ])("is read: %s", (text, reference) => {
    expect(parseKeyReference(text)).toEqual(reference);
  });

  it.each([
    "env:DATABASE_URL",
    "env:SECRET_KEY",
    "env:CHANNEL_KEY_",
    "env:CHANNEL_KEY_A B",
    "file:../secret",
    "file:/etc/passwd",
    "file:a/../../b",
    "file:a//b",
    "file:.hidden",
    "file:a\\..\\b",
    "file:%2e%2e/b",
    "file:",
    "vault:secret/data/x",
    "vault:secret#key",
    "vault:../sys/raw#key",
    "vault:secret/data/x?version=1#key",
    "vault:secret/%2e%2e/sys#key",
    "vault:https://evil.example/x#key",
    "aws-sm:evil.example/openai",
    "aws-sm:eu-west-1",
    "aws:",
    "aws:evil.example",
    "aws:us-east-1?role=arn:aws:iam::1:role/x",
    "aws:us-east-1?external_id=abc",
    "aws:us-east-1?endpoint=http://evil.example",
    "google:https://evil.example",
    "google:?service_account=someone@evil.example",
    "azure:?client_id=1",
    "azure:?client_id=00000000-0000-4000-8000-00000000000a&client_id=00000000-0000-4000-8000-00000000000b",
    `file:${"a".repeat(500)}`,
  ])("is refused, and recognized as a reference: %s", (text) => {
    expect(parseKeyReference(text)).toBeUndefined();
    expect(referenceSource(text)).toBeDefined();
  });

  it.each(["sk-abc", "us-east-1|AKIA|secret", '{"type":"service_account"}', "environment:x", "http://x"])(
    "is not seen in a key: %s",
    (text) => {
      expect(referenceSource(text)).toBeUndefined();
      expect(parseKeyReference(text)).toBeUndefined();
    },
  );

  it("is written as it was read, for identities", () => {
    for (const text of [
      "aws:us-east-1",
      "aws:us-east-1?role=arn:aws:iam::123456789012:role/bedrock&external_id=abc",
      "google:",
      "google:?project=my-project",
      "azure:?client_id=00000000-0000-4000-8000-00000000000a",
    ]) {
      const reference = parseKeyReference(text);
      if (reference?.source !== "aws" && reference?.source !== "google" && reference?.source !== "azure")
        throw new Error(text);
      expect(formatIdentity(reference)).toBe(text);
    }
  });
});
