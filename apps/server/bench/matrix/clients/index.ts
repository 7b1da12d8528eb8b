import type { Client } from "../client.ts";
import { aiSdkClients } from "./ai-sdk.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codexHttp, codexWebSocket } from "./codex.ts";
import { continueCli } from "./continue.ts";
import { geminiCli } from "./gemini-cli.ts";
import { opencodeChat, opencodeMessages, opencodeResponses } from "./opencode.ts";
import { piChat, piGemini, piMessages, piResponses } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";

export const clients: readonly Client[] = [
  claudeCode,
  codexHttp,
  codexWebSocket,
  geminiCli,
  qwenCode,
  opencodeChat,
  opencodeResponses,
  opencodeMessages,
  cline,
  continueCli,
  piChat,
  piResponses,
  piMessages,
  piGemini,
  ...aiSdkClients,
];
