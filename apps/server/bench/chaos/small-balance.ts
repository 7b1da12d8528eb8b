import { setTimeout as sleep } from "node:timers/promises";
import { askFixed, newAddress, type Seen } from "./clients.ts";
import { fixedCost, type World } from "./world.ts";

const credited = 20;
const concurrent = 100;
/** Time in which the other nodes return leases that they do not need. */
const returnMs = 200;

/**
 * Credits an account with a balance for exactly 20 calls, makes 100 concurrent ones through all nodes, and
 * then one after the other until the balance is used. Exactly 20 must be served, and no call may be refused
 * that the balance covers.
 */
export async function spendExactly(world: World): Promise<{ seen: Seen[]; wrong: string[] }> {
  const client = world.keys.length - 1;
  const key = world.keys[client] ?? "";
  const seen: Seen[] = [];
  const wrong: string[] = [];
  const ask = async (index: number) => {
    const address = newAddress();
    const node = world.nodes[index % world.nodes.length] ?? "";
    const call: Seen = { client, address, ...(await askFixed(node, { key, address })) };
    seen.push(call);
    return call;
  };
  await world.creditLast(credited * fixedCost);
  // More than 20 if the answer to the credit was lost and it was repeated.
  const fitting = Math.floor((await openPoints(world)) / fixedCost);
  const calls = await Promise.all(Array.from({ length: concurrent }, (_, index) => ask(index)));
  const refused = calls.filter(({ status }) => status === 402).length;
  if (refused > concurrent - fitting)
    wrong.push(`A balance for ${fitting} calls: ${refused} of ${concurrent} were refused.`);

  // Calls that failed for another reason, such as a node that is starting, have left points.
  for (let tries = 0; tries < 60 && (await openPoints(world)) >= fixedCost; tries += 1) {
    await sleep(returnMs);
    const before = await openPoints(world);
    const { requestId, status } = await ask(tries);
    if (status === 402 && before >= fixedCost) {
      wrong.push(`${requestId} was refused although the account had ${before} points.`);
    }
  }
  const complete = seen.filter(({ end }) => end === "complete").length;
  if (complete > fitting) wrong.push(`A balance for ${fitting} calls paid for ${complete}.`);
  const { status } = await ask(0);
  if (status === 200) wrong.push("A call was served after the balance was used.");
  return { seen, wrong };
}

/** Returns the points that the account of the last key can still spend, wherever they are leased. */
async function openPoints({ database, keys }: World): Promise<number> {
  const { rows } = await database.pool.query<{ points: number }>(
    `SELECT (u.quota - u.reserved - COALESCE((SELECT sum(v.charged) FROM reservations v WHERE v.user_id = u.id), 0))::float8 AS points FROM users u JOIN tokens t ON t.user_id = u.id WHERE t.name = $1`,
    [`client-${keys.length - 1}`],
  );
  return rows[0]?.points ?? 0;
}
