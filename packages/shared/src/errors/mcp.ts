/** Errors of MCP servers, bundles and calls of their tools. */
import { phrasesIn } from "./phrase.ts";

const phrase = phrasesIn("errors");

/** Codes with a message per reason. */
export const mcpReasons = {
  conflict: {
    mcp_server_taken: phrase("Another MCP server has this name."),
    mcp_bundle_taken: phrase("Another MCP bundle has this name."),
    too_many_mcp_servers: phrase("A gateway has at most {{most}} MCP servers."),
    too_many_mcp_bundles: phrase("A gateway has at most {{most}} MCP bundles."),
    mcp_credential_unreadable: phrase(
      'The stored credential of the MCP server "{{server}}" cannot be decrypted with this server\'s SECRET_KEY. Enter it again.',
    ),
  },
  not_found: {
    mcp_server_not_found: phrase("MCP server not found."),
    mcp_bundle_not_found: phrase("MCP bundle not found."),
    mcp_bundle_unknown: phrase('The MCP bundle "{{bundle}}" does not exist, or this key may not use it.'),
    mcp_session_unknown: phrase("This MCP session has ended. Initialize a new one."),
    mcp_tool_unknown: phrase("This tool does not exist, or this key may not use it."),
  },
  forbidden: {
    mcp_private_by_root: phrase("Only root may allow an address in a private network."),
  },
  invalid_request: {
    mcp_message: phrase("The body must be one JSON-RPC message."),
    mcp_key_forwarded: phrase(
      "The header {{header}} contains a key of this gateway. Send the credential of the MCP server.",
    ),
    mcp_servers_unknown: phrase("A server of this list does not exist."),
  },
  rate_limit_exceeded: {
    mcp_calls_at_once: phrase(
      "This key runs {{most}} tool calls at once, which is the limit. Wait until one ends.",
    ),
    mcp_account_calls_at_once: phrase(
      "This account runs {{most}} tool calls at once, which is the limit. Wait until one ends.",
    ),
    mcp_sessions_busy: phrase("Too many MCP sessions are busy. Try again in a moment."),
  },
  upstream_failed: {
    mcp_unreachable: phrase('The MCP server "{{server}}" cannot be reached.'),
    mcp_not_public: phrase(
      'The address of the MCP server "{{server}}" is in a private network. Root must allow that first.',
    ),
    mcp_unreadable: phrase('The MCP server "{{server}}" sent a response that cannot be read.'),
    mcp_broke_off: phrase('The MCP server "{{server}}" ended its response before the result.'),
    mcp_too_much: phrase(
      'The MCP server "{{server}}" sent more than the gateway accepts. The connection was closed.',
    ),
  },
  upstream_refused: {
    mcp_unauthorized: phrase(
      'The MCP server "{{server}}" refused the credential. Send your own in the header x-mcp-authorization-{{server}}.',
    ),
    mcp_refused: phrase('The MCP server "{{server}}" refused the request (error {{code}}).'),
  },
};
