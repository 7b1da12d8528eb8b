/** A collector of OpenTelemetry that accepts everything and keeps nothing, so that only the cost of sending is measured. */
import { createServer } from "node:http";

const server = createServer((request, response) => {
  request
    .resume()
    .on("end", () => response.writeHead(200, { "content-type": "application/x-protobuf" }).end());
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}`);
});
