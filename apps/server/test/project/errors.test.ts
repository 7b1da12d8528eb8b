import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { allErrors, type ErrorCode, errorStatus } from "@gateway/shared/errors";
import Fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerFailure } from "#console/failures.ts";
import { clientDialects } from "#dialects/index.ts";
import type { ClientDialectId } from "#dialects/ir.ts";
import { GatewayError } from "#errors.ts";
import { answerError } from "#gateway/http/answer-error.ts";

/** All errors of the product, with values for all placeholders of their templates. */
const errors = allErrors().map(({ code, reason, template }) => {
  const names = [...template.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1] ?? "");
  const values = Object.fromEntries(names.map((name, index) => [name, `value ${index} $& <b>`]));
  return { code, reason, template, params: { ...(reason === undefined ? {} : { reason }), ...values } };
});

type Listed = (typeof errors)[number];

function thrown({ code, params }: Listed): GatewayError {
  // The params match their code, but the type can show that for one code at a time only.
  return new (GatewayError as new (code: ErrorCode, params: object) => GatewayError)(code, params);
}

const clients = Object.keys(clientDialects) as ClientDialectId[];
const app: FastifyInstance = Fastify();

beforeAll(async () => {
  const throwing = async ({ params }: { params: { index: string } }) => {
    const error = errors[Number(params.index)];
    if (error === undefined) throw new Error(`There is no error ${params.index}.`);
    throw thrown(error);
  };
  await app.register(async (scope) => {
    scope.setErrorHandler(answerFailure);
    scope.get<{ Params: { index: string } }>("/console/:index", throwing);
  });
  for (const id of clients) {
    await app.register(async (scope) => {
      scope.setErrorHandler((error: GatewayError, request, reply) =>
        answerError(clientDialects[id], error, request, reply),
      );
      scope.get<{ Params: { index: string } }>(`/${id}/:index`, throwing);
    });
  }
});

afterAll(() => app.close());

async function answer(side: string, error: Listed) {
  const response = await app.inject(`/${side}/${errors.indexOf(error)}`);
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

const openai = ({ code, params }: Listed) => ({
  type: expect.stringMatching(/^[a-z_]+$/),
  code,
  param: "field" in params ? params["field"] : null,
});

const google = ({ code, params }: Listed, status: number) => ({
  // `code` is the HTTP status in this format.
  code: status,
  status: expect.stringMatching(/^[A-Z_]+$/),
  details: expect.arrayContaining([expect.objectContaining({ reason: code, metadata: params })]),
});

/** Fields of a dialect's `error` object besides the message. */
const shapes: Record<ClientDialectId, (error: Listed, status: number) => object> = {
  "openai-chat": openai,
  "openai-responses": openai,
  anthropic: ({ code }) => ({ type: expect.stringMatching(/^[a-z_]+_error$|^request_too_large$/), code }),
  gemini: google,
  interactions: google,
};

/** Returns the template with its values, without using the code under test. */
function sentence({ template, params }: Listed): string {
  const values: Record<string, string> = params;
  return template
    .split(/(\{\{\w+\}\})/)
    .map((piece) => (piece.startsWith("{{") ? values[piece.slice(2, -2)] : piece))
    .join("");
}

/** Expects the message to name the field, even if the template does not. */
function says(message: unknown, error: Listed): void {
  expect(String(message)).toContain(sentence(error).replace(/\.$/, ""));
  expect(String(message)).not.toContain("{{");
}

it("errors: each code has a status and at least one message", () => {
  const codes = new Set(errors.map(({ code }) => code));
  expect([...codes].toSorted()).toEqual(Object.keys(errorStatus).toSorted());
  // The console finds a template by its reason alone.
  const names = new Set(errors.map(({ code, reason }) => reason ?? code));
  const templates = new Set(errors.map(({ code, reason, template }) => `${reason ?? code}: ${template}`));
  expect(templates.size).toBe(names.size);
});

it("management API: code, params, English message and request id of every error", async () => {
  for (const error of errors) {
    const { code, params } = error;
    const { status, body } = await answer("console", error);
    expect(status, code).toBe(errorStatus[code]);
    expect(body).toMatchObject({ success: false, code, request_id: expect.stringMatching(/./) });
    expect(body["params"]).toEqual(params);
    says(body["message"], error);
  }
});

describe.each(clients)("%s", (id) => {
  it("returns every error in its own shape, with the gateway's code, its params and the request id", async () => {
    for (const error of errors) {
      const { code, params } = error;
      const { status, body } = await answer(id, error);
      expect(status, code).toBe(errorStatus[code]);
      const inner = body["error"] as Record<string, unknown>;
      says(inner["message"], error);
      expect(inner["message"]).toMatch(/ \(request id: \S+\)$/);
      expect(inner).toMatchObject(shapes[id](error, status));
      // A code without values has no params in the response.
      if (shapes[id] !== google)
        expect(inner["params"]).toEqual(Object.keys(params).length > 0 ? params : undefined);
      if (id === "anthropic")
        expect(body).toMatchObject({ type: "error", request_id: expect.stringMatching(/./) });
    }
  });

  it("contains the same fields in an event of a stream", () => {
    for (const error of errors) {
      const text = clientDialects[id].encodeStreamError(thrown(error), "req_1");
      expect(text).toContain(`"${error.code}"`);
      expect(text).toContain("(request id: req_1)");
      expect(text).not.toContain("{{");
    }
  });
});

describe("texts", () => {
  it("are never parsed: reasons and errors are identified by their codes", async () => {
    const root = join(import.meta.dirname, "../../../..");
    const files = ["apps/server/src", "apps/web/src", "packages/shared/src"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /(?<!\.test)\.tsx?$/.test(name) && !name.includes("prisma/"))
        .map((name) => join(root, folder, name)),
    );
    /**
     * Names of stored texts that code could search or compare with a sentence. In the console any variable
     * counts.
     */
    const names = "(?:message|content|reason|status_reason)";
    const field = String.raw`\b(?:row|item|event|notice|channel|entry|result|test|fault)\.${names}\b`;
    const reads = (text: string) =>
      [
        String.raw`\.(?:exec|test)\(\s*${text}`,
        String.raw`${text}\s*\.(?:match|matchAll|search|includes|startsWith|endsWith|indexOf|split)\(`,
        String.raw`${text}\s*[=!]==\s*["'\`][^"'\`]*\s`,
      ].join("|");
    const onServer = new RegExp(reads(field));
    const inConsole = new RegExp(`${reads(field)}|${reads(String.raw`(?<![.\w])${names}\b`)}`);
    const found = files.flatMap((file) => {
      const lines = readFileSync(file, "utf8").split("\n");
      const reading = file.includes("/apps/web/") ? inConsole : onServer;
      return lines.flatMap((line, index) =>
        reading.test(line) ? [`${relative(root, file)}:${index + 1} ${line.trim()}`] : [],
      );
    });
    expect(found).toEqual([]);
  });
});
