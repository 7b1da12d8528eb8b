import { type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from "undici";

/**
 * The way to upstreams through a proxy. The time-out holds for each step of it: reaching the proxy, its word that the
 * way is open, TLS behind it.
 * @param proxy http, https, socks5 or socks5h URL; names are always resolved by the proxy
 */
export function throughProxy(
  proxy: string,
  { connectTimeoutMs, ...options }: { connectTimeoutMs: number } & ProxyOptions,
): Dispatcher {
  const settings = { ...options, connectTimeout: connectTimeoutMs };
  if (proxy.startsWith("socks")) {
    const { proxyTunnel: _tunnel, ...given } = settings;
    return new Socks5ProxyAgent(proxy.replace(/^socks5h:/, "socks5:"), given);
  }
  return new ProxyAgent({
    ...settings,
    uri: proxy,
    // Left to itself, a proxy that says nothing to CONNECT is given five minutes.
    clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: connectTimeoutMs }),
  });
}

type ProxyOptions = { connections?: number; allowH2?: boolean; proxyTunnel?: boolean };
