import type { ChannelInForce, KeyInForce } from "#domain/channels/channel-in-force.ts";
import type { UpstreamResponse } from "#platform/http.ts";
import type { RelayServices } from "./call.ts";

/** The one way to a channel's vendor: address, credential, the operator's headers, proxy and time-outs. */
export interface ToVendor {
  method: "GET" | "POST" | "DELETE";
  /** Below the channel's address. */
  path: string;
  /** The call's own; the operator's and the credential's win over them. */
  headers: Record<string, string>;
  body: string | Buffer | null;
  signal: AbortSignal;
  /** Milliseconds, where this question must not take as long as an answer may. */
  timeoutMs?: number;
}

export function send(
  services: Pick<RelayServices, "settings" | "upstream">,
  { channel, key }: { channel: ChannelInForce; key: KeyInForce | undefined },
  request: ToVendor,
): Promise<UpstreamResponse> {
  const settings = services.settings.current();
  return services.upstream.send({
    url: joinUrl(channel.baseUrl, request.path),
    method: request.method,
    headers: { ...request.headers, ...channel.headers, ...channel.provider.headers(key?.key ?? "") },
    body: request.body,
    proxy: channel.proxy,
    connectTimeoutMs: channel.connectTimeoutMs || settings.ConnectTimeoutMs,
    firstByteTimeoutMs: request.timeoutMs ?? (channel.firstByteTimeoutMs || settings.FirstByteTimeoutMs),
    idleTimeoutMs: request.timeoutMs ?? (channel.idleTimeoutMs || settings.IdleTimeoutMs),
    signal: request.signal,
  });
}

/** Base addresses are given with and without `/v1`; both must work. */
export function joinUrl(baseUrl: string, path: string): string {
  const base = baseUrl.replace(/\/+$/, "");
  const version = /\/v\d+(?:beta)?$/.exec(base)?.[0];
  return version !== undefined && path.startsWith(`${version}/`)
    ? base + path.slice(version.length)
    : base + path;
}
