import { type Dispatcher, Pool, ProxyAgent, Socks5ProxyAgent } from "undici";

/**
 * Creates a dispatcher that reaches upstreams through a proxy. The time limit applies to each step:
 * connecting to the proxy, its reply that the tunnel is open, TLS behind it.
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
    // By default, undici waits five minutes for a proxy that does not reply to CONNECT.
    clientFactory: (origin, given) => new Pool(origin, { ...given, headersTimeout: connectTimeoutMs }),
  });
}

type ProxyOptions = { connections?: number; allowH2?: boolean; proxyTunnel?: boolean };
