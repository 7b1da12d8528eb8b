import { describe, expect, it } from "vitest";
import type { Outgoing } from "#providers/provider.ts";
import { signAws } from "./aws.ts";

/**
 * AWS's published Signature Version 4 test suite,
 * https://docs.aws.amazon.com/general/latest/gr/signature-v4-test-suite.html. Compared on 2026-11-21 with the
 * copies in test suites of other implementations. Names, requests and signatures are those of the suite.
 */
const credential = {
  accessKey: "AKIDEXAMPLE",
  secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  region: "us-east-1",
  service: "service",
};
const now = Date.UTC(2015, 7, 30, 12, 36, 0);

function request(
  method: Outgoing["method"],
  url: string,
  headers = {},
  body: string | null = null,
): Outgoing {
  return { method, url, headers, body };
}

const suite: [string, Outgoing, string, string][] = [
  [
    "get-vanilla",
    request("GET", "https://example.amazonaws.com/"),
    "host;x-amz-date",
    "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  ],
  [
    "post-vanilla",
    request("POST", "https://example.amazonaws.com/"),
    "host;x-amz-date",
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  ],
  [
    "get-vanilla-query-order-key-case",
    request("GET", "https://example.amazonaws.com/?Param2=value2&Param1=value1"),
    "host;x-amz-date",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
  [
    "get-header-value-trim",
    request("GET", "https://example.amazonaws.com/", {
      "my-header1": " value1",
      "my-header2": ' "a   b   c"',
    }),
    "host;my-header1;my-header2;x-amz-date",
    "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  ],
  [
    "post-x-www-form-urlencoded",
    request(
      "POST",
      "https://example.amazonaws.com/",
      { "content-type": "application/x-www-form-urlencoded" },
      "Param1=value1",
    ),
    "content-type;host;x-amz-date",
    "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  ],
];

describe("AWS's signature", () => {
  it.each(suite)("matches %s of the published suite", (_name, requested, signedHeaders, signature) => {
    expect(signAws(requested, credential, now).headers["authorization"]).toBe(
      "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " +
        `SignedHeaders=${signedHeaders}, Signature=${signature}`,
    );
  });

  it("covers the session token and all other sent data", () => {
    const { headers } = signAws(
      request("POST", "https://example.amazonaws.com/", { accept: "*/*" }, "{}"),
      { ...credential, sessionToken: "token" },
      now,
    );
    expect(headers["x-amz-security-token"]).toBe("token");
    expect(headers["authorization"]).toContain("SignedHeaders=accept;host;x-amz-date;x-amz-security-token");
  });
});
