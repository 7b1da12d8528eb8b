import { setTimeout as sleep } from "node:timers/promises";
import { deriveKey } from "#domain/tokens/derived-keys/derived-key.ts";
import { askFixed, newAddress, type Seen } from "./clients.ts";
import { fixedCost, type World } from "./world.ts";

const dollar = 500_000;
const keys = 1_000;
const concurrent = 50;
/** The longest wait for the release of what a killed node had reserved. */
const releaseMs = 120_000;

/**
 * Derives a key with one dollar from a client's key, and a thousand keys from that, each of which makes a call. One node
 * is killed meanwhile. The calls must cost one dollar, and not more at any time.
 */
export async function spendOneDollar(
  world: World,
  victim: number,
): Promise<{ seen: Seen[]; wrong: string[] }> {
  const client = 0;
  const seen: Seen[] = [];
  const wrong: string[] = [];
  const exp = Math.floor(Date.now() / 1_000) + 3_600;
  const planner = deriveKey(world.keys[client] ?? "", { usd: "1.00", exp, label: "planner" });
  const ask = async (index: number) => {
    const address = newAddress();
    const node = world.nodes[index % world.nodes.length] ?? "";
    const { key } = deriveKey(planner.key, { usd: "0.5", label: `worker ${index}` });
    const call: Seen = { client, address, ...(await askFixed(node, { key, address })) };
    // The account covers it, the dollar may not.
    seen.push(call.status === 402 ? { ...call, isCapped: true } : call);
    return call.status;
  };
  const stateOf = async () => {
    const row = await world.database.db.derivedKey.findUnique({ where: { id: planner.id } });
    const state = { spent: Number(row?.spent ?? 0), reserved: Number(row?.reserved ?? 0) };
    if (state.spent + state.reserved > dollar)
      wrong.push(`One dollar: ${state.spent} points are spent and ${state.reserved} reserved.`);
    return state;
  };
  const rest = Array.from({ length: keys }, (_, index) => index).values();
  const run = async () => {
    for (const index of rest) await ask(index);
  };
  const killing = sleep(300).then(() => world.killNode(victim));
  await Promise.all(Array.from({ length: concurrent }, run));
  await killing;
  for (const until = Date.now() + releaseMs; Date.now() < until; await sleep(500))
    if ((await stateOf()).reserved === 0) break;
  for (let index = 0; (await stateOf()).spent < dollar && index < keys; index += 1) await ask(index);
  const { spent, reserved } = await stateOf();
  if (spent !== dollar - (dollar % fixedCost) || reserved !== 0)
    wrong.push(`One dollar: at the end, ${spent} points are spent and ${reserved} reserved.`);
  return { seen, wrong };
}
