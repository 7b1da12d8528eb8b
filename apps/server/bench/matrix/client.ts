import type { ScriptedCall } from "./script.ts";
import type versions from "./versions.json";

/** What a run of a client gets. */
export interface Setting {
  /** Folder of the task, the current folder of the client. */
  workspace: string;
  /** Home folder of the client, empty before each cell of the matrix. */
  home: string;
  /** Address of the gateway, without `/v1`. */
  gateway: string;
  key: string;
  model: string;
  prompt: string;
  /** Continue the latest session instead of beginning one. */
  resume: boolean;
  /** The context window in tokens that the client shall assume, for the test of compaction. */
  contextWindow?: number;
}

export interface Command {
  args: string[];
  /** Arguments of earlier runs of the program that configure it. */
  before?: string[][];
  env?: Record<string, string>;
  /** Files to write before the start, by path. */
  files?: Record<string, string>;
}

/** A program that people use with the gateway. */
export interface Client {
  id: string;
  label: string;
  /** Dialect and transport, as the table shows them. */
  speaks: string;
  program: keyof typeof versions | "ai-sdk";
  /** Name of the executable in the package. */
  bin: string;
  command(setting: Setting): Command;
  /** The client's tools for the three steps of the task. */
  read(path: string): ScriptedCall;
  edit(path: string, before: string, after: string): ScriptedCall;
  run(command: string): ScriptedCall;
  /** Starts sub-agents at once and waits for them. */
  delegate?(prompts: readonly string[]): ScriptedCall[][];
  /** Compacts only before or after a prompt, so that the task needs a second one. */
  compactsBetweenPrompts?: boolean;
  /** Counts the tokens of its context itself and ignores the reported usage. */
  countsTokens?: boolean;
  /** Context window for the test of compaction, where its requests are short. Default: 100,000. */
  smallWindow?: number;
  /** Reads a file again in a resumed session before it edits it. */
  forgetsReads?: boolean;
  /** Computes the size of a compacted context from the tokens that its summary read. */
  countsSummary?: boolean;
  /** Why a scenario cannot be run with this client. */
  lacks?: Partial<Record<"task" | "agents" | "compaction" | "cancel" | "resume", string>>;
  /** Requests that the client sends and that may be refused, by path. */
  mayFail?: RegExp;
}
