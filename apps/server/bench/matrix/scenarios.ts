import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkBooks, type Ending, lastRow } from "./books.ts";
import type { Client, Setting } from "./client.ts";
import { SUBTASK_MARK, TASK_MARK } from "./history.ts";
import type { Passed } from "./recorder.ts";
import { type Ended, runProgram } from "./run-program.ts";
import { LAST_WORD, type Script } from "./script.ts";
import { modelOf, type UpstreamKind, upstreamPaths } from "./upstream-kinds.ts";
import type { ServedCall } from "./upstream.ts";
import type { World } from "./world.ts";

export const scenarios = ["task", "agents", "compaction", "cancel", "resume"] as const;
export type Scenario = (typeof scenarios)[number];

export interface Result {
  client: string;
  upstream: UpstreamKind;
  scenario: Scenario;
  /** Empty: passed. */
  wrong: string[];
  /** Why the scenario was not run. */
  skipped?: string;
  seconds: number;
}

interface Run {
  world: World;
  client: Client;
  executable: string;
  upstream: UpstreamKind;
  setting: Setting;
  file: string;
  copy: string;
}

const BEFORE = "state: draft";
const AFTER = "state: final";
const PROMPT = `${TASK_MARK}: Read notes.txt, replace "${BEFORE}" with "${AFTER}" in it, then copy it to copy.txt.`;

/** Runs one scenario in an empty workspace, with an empty home folder. */
export async function runScenario(
  world: World,
  client: Client,
  executable: string,
  upstream: UpstreamKind,
  scenario: Scenario,
): Promise<Result> {
  const began = Date.now();
  const missing = client.lacks?.[scenario];
  const base = { client: client.id, upstream, scenario };
  if (missing !== undefined) return { ...base, wrong: [], skipped: missing, seconds: 0 };
  // The path is part of some prompts, so it must not contain words that the script looks for.
  const folder = join(world.folder, `${client.id}-${upstream}-${scenarios.indexOf(scenario)}`);
  const workspace = join(folder, "workspace");
  const home = join(folder, "home");
  await mkdir(workspace, { recursive: true });
  await mkdir(home, { recursive: true });
  const file = join(workspace, "notes.txt");
  await writeFile(file, `Notes of the project\n${BEFORE}\nowner: nora\n`);
  const setting: Setting = {
    workspace,
    home,
    gateway: world.url,
    key: world.key,
    model: modelOf(upstream),
    prompt: PROMPT,
    resume: false,
  };
  const copy = join(workspace, "copy.txt");
  const run: Run = { world, client, executable, upstream, setting, file, copy };
  const wrong = await play[scenario](run).catch((error: unknown) => [`The run failed: ${String(error)}`]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  return { ...base, wrong, seconds: Math.round((Date.now() - began) / 1000) };
}

const play: Record<Scenario, (run: Run) => Promise<string[]>> = {
  async task(run) {
    const { calls, ...result } = await follow(run, { steps: taskSteps(run), subtask: [] });
    const turns = calls.filter((call) => /^step|^last/.test(call.kind)).length;
    return [
      ...result.wrong,
      ...(await effects(run)),
      ...(turns === 4 ? [] : [`The task took ${turns} turns instead of 4.`]),
    ];
  },

  async agents(run) {
    const { client, file } = run;
    const prompts = [1, 2].map((part) => `${SUBTASK_MARK}-${part}: Read notes.txt and report its owner.`);
    const steps = client.delegate?.(prompts) ?? [];
    const prompt = `${TASK_MARK}: Let two agents read notes.txt and report.`;
    const { calls, wrong } = await follow(
      { ...run, setting: { ...run.setting, prompt } },
      { steps, subtask: [[client.read(file)]] },
    );
    const ended = calls.filter((call) => call.kind === "last").length;
    // Each sub-agent and the agent end with a message of their own.
    return [...wrong, ...(ended >= 3 ? [] : [`${ended} of 3 agents ended.`])];
  },

  async compaction(run) {
    const contextWindow = run.client.smallWindow ?? 100_000;
    // No more tokens are billed than a request has bytes, so the file must be long.
    await appendFile(run.file, "one more line of these notes, with a few words in it\n".repeat(1_500));
    const whole = { ...run, setting: { ...run.setting, contextWindow } };
    const fullTokens = 0.95 * contextWindow;
    const summaryTokens = run.client.countsSummary === true ? { summaryTokens: 0.6 * contextWindow } : {};
    const steps = taskSteps(run);
    const reported = run.client.countsTokens === true ? {} : { fullAfter: 1, fullTokens };
    const full = { steps, subtask: [], ...reported, ...summaryTokens };
    // Between prompts, the context is full at the end of the first one.
    const runs: [Run, Script][] =
      run.client.compactsBetweenPrompts === true
        ? [
            [whole, { ...full, steps: steps.slice(0, 1) }],
            [goingOn(whole), { steps, subtask: [] }],
          ]
        : [[whole, full]];
    const wrong: string[] = [];
    let compacted = false;
    for (const [each, script] of runs) {
      const found = await follow(each, script);
      wrong.push(...found.wrong);
      compacted ||= found.calls.some(isCompacted);
    }
    return [
      ...wrong,
      ...(await effects(run)),
      ...(compacted ? [] : ["The client did not compact its context."]),
    ];
  },

  async cancel(run) {
    const script = { steps: taskSteps(run), subtask: [], slowAfter: 1 };
    const { wrong } = await follow(run, script, "left");
    return wrong;
  },

  async resume(run) {
    const task = taskSteps(run);
    const first = await follow(run, { steps: task.slice(0, 1), subtask: [] });
    const steps = run.client.forgetsReads === true ? [...task.slice(0, 1), ...task] : task;
    const second = await follow(goingOn(run), { steps, subtask: [] });
    const again = second.calls.some((call) => call.kind === "step 0");
    return [
      ...first.wrong,
      ...second.wrong,
      ...(await effects(run)),
      ...(again ? ["The client sent none of the earlier session."] : []),
    ];
  },
};

/** Continues the session of a run with another prompt. */
function goingOn(run: Run): Run {
  const prompt = `${TASK_MARK}: Go on with the edit and the copy.`;
  return { ...run, setting: { ...run.setting, prompt, resume: true } };
}

function isCompacted({ kind, body }: ServedCall): boolean {
  return kind === "compaction" || JSON.stringify(body).includes("MATRIX-DONE-");
}

function taskSteps({ client, file, copy }: Run): Script["steps"] {
  return [[client.read(file)], [client.edit(file, BEFORE, AFTER)], [client.run(`cp ${file} ${copy}`)]];
}

/** Runs the client with a script, and checks what holds in every scenario. */
async function follow(
  { world, client, executable, upstream, setting }: Run,
  script: Script,
  ending: Ending = "complete",
): Promise<{ wrong: string[]; calls: readonly ServedCall[] }> {
  world.upstream.follow(script);
  world.recorder.take();
  const after = await lastRow(world.database);
  const interrupt = ending === "left" ? world.upstream.slow() : undefined;
  const ended = await runProgram(client, executable, setting, interrupt);
  const calls = [...world.upstream.calls()];
  const wrong = [
    ...(ending === "complete" ? programFindings(ended) : ended.timedOut ? ["The program did not stop."] : []),
    ...callFindings(calls, upstream),
    ...world.recorder.take().flatMap((passed) => passedFindings(client, passed)),
    ...(await checkBooks(world.database, after, calls, ending)),
  ];
  if (wrong.length > 0)
    wrong.push(`Output: ${ended.output.slice(-1_500)}`, `Turns: ${calls.map(describe).join("; ")}`);
  return { wrong, calls };
}

function describe(call: ServedCall): string {
  return `${call.path} ${call.status} ${call.kind} (${call.tools.join(", ")}) ${call.error ?? ""}`;
}

function programFindings({ code, output, timedOut }: Ended): string[] {
  if (timedOut) return ["The program did not end within its time limit."];
  return [
    ...(code === 0 ? [] : [`The program ended with ${code}.`]),
    ...(/model metadata .* not found/i.test(output) ? ["It did not find the model in its catalogue."] : []),
    ...(output.includes(LAST_WORD) ? [] : ["The program did not show the last message."]),
    ...(/\b(?:error|failed|retrying|reconnecting)\b/i.test(output) ? ["Its output contains an error."] : []),
  ];
}

function callFindings(calls: readonly ServedCall[], upstream: UpstreamKind): string[] {
  return calls.flatMap((call) => [
    ...(call.error === undefined ? [] : [`The provider would refuse a request: ${call.error}`]),
    ...(upstreamPaths[upstream].test(call.path) ? [] : [`The upstream was called at ${call.path}.`]),
  ]);
}

function passedFindings(client: Client, { method, path, status, refusal }: Passed): string[] {
  if (status > 0 && status < 400) return [];
  if (client.mayFail?.test(path) === true) return [];
  return [`${method} ${path} was answered with ${status}: ${(refusal ?? "").slice(0, 300)}`];
}

async function effects({ file, copy }: Run): Promise<string[]> {
  const [edited, copied] = await Promise.all(
    [file, copy].map((path) => readFile(path, "utf8").catch(() => "")),
  );
  return [
    ...(edited?.includes(AFTER) === true ? [] : ["The file was not edited."]),
    ...(copied?.includes(AFTER) === true ? [] : ["The command did not run."]),
  ];
}
