import type { Scenario } from "./scenarios.ts";

/** The texts of the tables in docs/compatibility.md and its translation. */
export interface ReportTexts {
  /** Below the root. */
  file: string;
  client: string;
  speaks: string;
  version: string;
  lastRun: string;
  notRun: string;
  titles: Record<Scenario, string>;
  notes: string;
  /** Joins a client and its dialect. */
  name(client: string, dialect: string): string;
  /** Returns one line of the notes: why a scenario was not run. */
  lacking(name: string, title: string, reason: string): string;
  /** Returns one line of the notes: what failed. */
  failing(name: string, title: string, upstream: string, reason: string): string;
  /** Translates a client's dialect or a reason. */
  translate(text: string): string;
}

const english: ReportTexts = {
  file: "docs/compatibility.md",
  client: "Client",
  speaks: "Speaks",
  version: "Version",
  lastRun: "Last run",
  notRun: "not run",
  titles: {
    task: "Read, edit, run, finish",
    agents: "Two sub-agents at once",
    compaction: "Compaction",
    cancel: "Cancel",
    resume: "Resume",
  },
  notes: "Not run, and failures",
  name: (client, dialect) => `${client}, ${dialect}`,
  lacking: (name, title, reason) => `${name}: ${title}: not run. ${reason}`,
  failing: (name, title, upstream, reason) => `${name}: ${title} at ${upstream}: ${reason}`,
  translate: (text) => text,
};

const inChinese: [string, string][] = [
  [", not streamed", "，非流式"],
  ["Responses over WebSocket", "Responses（WebSocket）"],
  ["Its sub-agents need its terminal interface.", "它的子智能体需要其终端界面。"],
  ["It continues a session only in its terminal interface.", "它只能在其终端界面中继续会话。"],
  ["pi has no sub-agents.", "pi 没有子智能体。"],
  ["A library has no agents.", "SDK 没有智能体。"],
  ["A library has no sessions.", "SDK 没有会话。"],
  ["The answer is not streamed.", "响应不是流式的。"],
];

const chinese: ReportTexts = {
  file: "docs/zh_CN/compatibility.md",
  client: "客户端",
  speaks: "协议",
  version: "版本",
  lastRun: "最近一次运行",
  notRun: "未运行",
  titles: {
    task: "读取、编辑、运行、完成",
    agents: "同时运行两个子智能体",
    compaction: "上下文压缩",
    cancel: "取消",
    resume: "恢复会话",
  },
  notes: "未运行和失败的项目",
  name: (client, dialect) => `${client}，${dialect}`,
  lacking: (name, title, reason) => `${name}：${title}：未运行。${reason}`,
  failing: (name, title, upstream, reason) => `${name}：${title}，上游 ${upstream}：${reason}`,
  translate: (text) => inChinese.reduce((result, [from, to]) => result.replaceAll(from, to), text),
};

/** English first: the translation names its version. */
export const reportTexts: readonly ReportTexts[] = [english, chinese];
