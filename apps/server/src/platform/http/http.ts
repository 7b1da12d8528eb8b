import { Readable } from "node:stream";
import { Pool, type Dispatcher } from "undici";
import type { UpstreamRequest, UpstreamResponse } from "./exchange.ts";
import { throughProxy } from "./proxy.ts";
import { ResponseCollector } from "./response-collector.ts";

/**
 * Calls to upstreams, at undici's dispatch level: one pool per origin and proxy, no stream objects in
 * between, the body as chunks with back-pressure. Knows nothing about providers or wire formats.
 */
export interface UpstreamClient {
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** Returns the sums over all direct connections; those through proxies are not counted. */
  load(): UpstreamLoad;
  close(): Promise<void>;
}

/** Connections to upstreams, and requests on them or waiting for one. */
export interface UpstreamLoad {
  open: number;
  free: number;
  running: number;
  queued: number;
}

const MAX_POOLS = 2_000;
/**
 * Maximum number of connections to one provider. A stream uses one for minutes, and a call beyond the maximum
 * would wait silently.
 */
const MOST_CONNECTIONS = 10_000;

interface RequestTarget {
  origin: string;
  path: string;
}

/** The pool that the last request to an address used. */
interface LastPool {
  pool: Dispatcher;
  proxy: string;
  connectTimeoutMs: number;
}

const MAX_PLACES = 1_000;
/** Cache of parsed addresses: a channel is called at the same few addresses again and again. */
const places = new Map<string, RequestTarget>();

function placeOf(address: string): RequestTarget {
  let place = places.get(address);
  if (place === undefined) {
    const url = new URL(address);
    place = { origin: url.origin, path: url.pathname + url.search };
    if (places.size >= MAX_PLACES) places.clear();
    places.set(address, place);
  }
  return place;
}

export function createUpstreamClient(options: { connections?: number } = {}): UpstreamClient {
  const pools = new Map<string, Dispatcher>();
  /** Most channels have one proxy and one timeout, so the key of the pool is rarely built. */
  let last = new WeakMap<RequestTarget, LastPool>();

  function poolFor(place: RequestTarget, { proxy, connectTimeoutMs }: UpstreamRequest): Dispatcher {
    const known = last.get(place);
    if (known !== undefined && known.proxy === proxy && known.connectTimeoutMs === connectTimeoutMs)
      return known.pool;
    const pool = poolOf(place.origin, proxy, connectTimeoutMs);
    last.set(place, { pool, proxy, connectTimeoutMs });
    return pool;
  }

  function poolOf(origin: string, proxy: string, connectTimeoutMs: number): Dispatcher {
    const key = `${origin}|${proxy}|${connectTimeoutMs}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const { connections = MOST_CONNECTIONS } = options;
    const pool =
      proxy === ""
        ? new Pool(origin, { connections, connect: { timeout: connectTimeoutMs } })
        : throughProxy(proxy, { connections, connectTimeoutMs });
    if (pools.size >= MAX_POOLS) {
      // The oldest pool closes when its calls are done. An operator with this many origins will not notice.
      const [oldest] = pools.entries();
      if (oldest !== undefined) {
        pools.delete(oldest[0]);
        last = new WeakMap();
        oldest[1].close().catch(() => {});
      }
    }
    pools.set(key, pool);
    return pool;
  }

  return {
    send(request) {
      const url = placeOf(request.url);
      const { body } = request;
      const streamed = body !== null && typeof body === "object" && "open" in body;
      const options: Dispatcher.DispatchOptions = {
        origin: url.origin,
        path: url.path,
        method: request.method,
        headers:
          streamed && body.length !== undefined
            ? { ...request.headers, "content-length": String(body.length) }
            : request.headers,
        body: streamed ? Readable.from(body.open(), { objectMode: false }) : body,
        headersTimeout: request.firstByteTimeoutMs,
        bodyTimeout: request.idleTimeoutMs,
      };
      const dispatch = (handler: ResponseCollector) => poolFor(url, request).dispatch(options, handler);
      // A streamed body can be sent only once.
      const exchange = new ResponseCollector(request, streamed ? undefined : dispatch);
      exchange.limits = request.limits;
      dispatch(exchange);
      return exchange.response;
    },
    load() {
      const load: UpstreamLoad = { open: 0, free: 0, running: 0, queued: 0 };
      for (const pool of pools.values()) {
        if (!(pool instanceof Pool)) continue;
        const { connected, free, running, queued } = pool.stats;
        load.open += connected;
        load.free += free;
        load.running += running;
        load.queued += queued;
      }
      return load;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
  };
}
