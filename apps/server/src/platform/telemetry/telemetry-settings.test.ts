import { expect, it } from "vitest";
import { readEnv } from "#env.ts";

const read = (variables: Record<string, string>) => readEnv(variables).telemetry;

it("nothing is sent without a variable, or when the SDK is disabled", () => {
  expect(read({})).toBeUndefined();
  expect(read({ OTEL_SERVICE_NAME: "gateway" })).toBeUndefined();
  expect(
    read({ OTEL_SDK_DISABLED: "true", OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" }),
  ).toBeUndefined();
});

it("an endpoint receives all signals, except those that are switched off or have their own", () => {
  expect(
    read({
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/",
      OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "https://logs/own",
      OTEL_METRICS_EXPORTER: "none",
    })?.endpoints,
  ).toEqual({ traces: "http://collector:4318/v1/traces", metrics: undefined, logs: "https://logs/own" });
  expect(read({ OTEL_TRACES_EXPORTER: "otlp" })?.endpoints).toEqual({
    traces: "http://localhost:4318/v1/traces",
    metrics: undefined,
    logs: undefined,
  });
});

it("a value that cannot be used is named", () => {
  for (const [name, value] of [
    ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"],
    ["OTEL_TRACES_SAMPLER", "sometimes"],
  ] as const)
    expect(() => read({ [name]: value })).toThrow(name);
});
