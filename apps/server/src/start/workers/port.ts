import { once } from "node:events";
import { createServer } from "node:net";

/**
 * Whether several processes can listen on one port, with connections spread by the system (SO_REUSEPORT).
 * Elsewhere the primary process accepts connections and passes them on.
 */
export const sharesPorts = process.platform === "linux" || process.platform === "freebsd";

/**
 * Throws `EADDRINUSE` when another program listens on the port, which processes that share a port would not
 * notice. Port 0 is always free.
 */
export async function requireFreePort(host: string, port: number): Promise<void> {
  const probe = createServer();
  probe.listen({ host, port, exclusive: true });
  await once(probe, "listening");
  probe.close();
  await once(probe, "close");
}
