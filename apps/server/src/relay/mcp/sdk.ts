/** The SDK of the Model Context Protocol, loaded with the first request of an MCP client: others need no memory for it. */
export async function loadMcpSdk() {
  const [client, clientTransport, server, serverTransport, types] = await Promise.all([
    import("@modelcontextprotocol/sdk/client/index.js"),
    import("@modelcontextprotocol/sdk/client/streamableHttp.js"),
    import("@modelcontextprotocol/sdk/server/index.js"),
    import("@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js"),
    import("@modelcontextprotocol/sdk/types.js"),
  ]);
  return {
    Client: client.Client,
    StreamableHTTPClientTransport: clientTransport.StreamableHTTPClientTransport,
    StreamableHTTPError: clientTransport.StreamableHTTPError,
    Server: server.Server,
    WebStandardStreamableHTTPServerTransport: serverTransport.WebStandardStreamableHTTPServerTransport,
    ...types,
  };
}

export type McpSdk = Awaited<ReturnType<typeof loadMcpSdk>>;
