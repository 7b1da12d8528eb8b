/**
 * Whether a connection URL may be read differently from how it was meant: a password with special characters that
 * are not percent-encoded moves the host, and the wrong host, which is then reported, is a part of the password.
 */
export function isAmbiguous(url: string): boolean {
  const rest = url.replace(/^[a-z]+:\/\//, "");
  const [authority = ""] = rest.split(/[/?]/);
  // "scheme://user:p@ss#1@host" parses, but to another host. So does "scheme://user:12/3@host".
  if (rest.includes("#") || rest.lastIndexOf("@") !== authority.indexOf("@") || !URL.canParse(url))
    return true;
  const { username, password } = new URL(url);
  return !isDecodable(username) || !isDecodable(password);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the address of Redis. Throws an Error that explains what to correct when it may be read differently from
 * how it was meant, without any part of the password.
 */
export function redisUrl(url: string): string {
  if (!isAmbiguous(url)) return url;
  throw new Error(
    "REDIS_URL cannot be read. Percent-encode special characters in its password (@ is %40, # is %23, / is %2F, " +
      "? is %3F, % is %25): redis://:password@host:6379",
  );
}

/** The Sentinel servers that know which Redis is the master. */
export interface RedisSentinels {
  nodes: readonly { host: string; port: number }[];
  /** Of the Sentinel servers. The password of Redis itself is in its URL. */
  password: string | undefined;
}

const SENTINEL_PORT = 26_379;

/** Reads `host:port,host:port`. */
export function sentinelsOf(list: string): RedisSentinels["nodes"] {
  return list.split(",").map((address) => {
    const [host = "", port] = address.split(":");
    return { host, port: port === undefined ? SENTINEL_PORT : Number(port) };
  });
}
