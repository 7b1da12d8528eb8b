/** A LiteLLM database in Postgres, with the types that its migrations create. */
import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";
import pg from "pg";
import { litellmColumns } from "#migration/litellm/columns.ts";
import { emptyDatabase } from "#test/database.ts";

export const salt = "sk-salt-of-litellm-0123456789";
export const hashOf = (key: string) => createHash("sha256").update(key).digest("hex");

const types: Readonly<Record<string, string>> = {
  spend: "double precision not null default 0",
  total_spend: "double precision not null default 0",
  max_budget: "double precision",
  soft_budget: "double precision",
  models: "text[]",
  blocked: "boolean",
  expires: "timestamp(3)",
  revoke_at: "timestamp(3)",
  startTime: "timestamp(3)",
  endTime: "timestamp(3)",
  completionStartTime: "timestamp(3)",
  created_at: "timestamp(3) default now()",
  tpm_limit: "bigint",
  rpm_limit: "bigint",
  max_parallel_requests: "integer",
  prompt_tokens: "bigint not null default 0",
  completion_tokens: "bigint not null default 0",
  successful_requests: "bigint not null default 0",
  metadata: "jsonb not null default '{}'",
  litellm_params: "jsonb",
  model_info: "jsonb",
  credential_values: "jsonb",
  param_value: "jsonb",
};

export async function litellmDatabase(rows: Record<string, Record<string, unknown>[]>) {
  const database = await emptyDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const [table, names] of Object.entries(litellmColumns)) {
    const list = names.split(" ").map((name) => `"${name}" ${types[name] ?? "text"}`);
    await client.query(`CREATE TABLE "${table}" (${list.join(", ")})`);
  }
  for (const [table, list] of Object.entries(rows))
    for (const row of list)
      await client.query(
        `INSERT INTO "${table}" (${Object.keys(row)
          .map((name) => `"${name}"`)
          .join(", ")}) VALUES (${Object.keys(row)
          .map((_, place) => `$${place + 1}`)
          .join(", ")})`,
        Object.values(row),
      );
  return {
    from: database.url,
    run: (sql: string) => client.query(sql),
    async remove() {
      await client.end();
      await database.drop();
    },
  };
}

/** The smallest LiteLLM: an administrator, a user, and a model whose key is encrypted. */
export const smallLitellm = () => ({
  LiteLLM_UserTable: [
    { user_id: "admin", user_role: "proxy_admin", spend: 0 },
    { user_id: "ada", user_role: "internal_user", password: hashOf("correct horse"), spend: 0 },
  ],
  LiteLLM_ProxyModelTable: [
    {
      model_id: "m1",
      model_name: "claude",
      litellm_params: JSON.stringify({
        model: encrypt.v3("anthropic/claude-sonnet-4-5"),
        api_key: encrypt.v3("sk-ant-of-litellm"),
      }),
    },
  ],
});

/** In each format that LiteLLM has written. */
export const encrypt = {
  box(text: string): string {
    const nonce = randomBytes(24);
    const box = xsalsa20poly1305(createHash("sha256").update(salt).digest(), nonce);
    return urlSafe(Buffer.concat([nonce, box.encrypt(Buffer.from(text))]));
  },
  v2: (text: string) => `v2:gcm:${gcm(createHash("sha256").update(salt).digest(), text)}`,
  v3: (text: string) =>
    `v3:gcm:${gcm(Buffer.from(hkdfSync("sha256", salt, Buffer.alloc(0), "litellm-at-rest-v3", 32)), text)}`,
};

function gcm(key: Buffer, text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  return urlSafe(Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]));
}

/** With padding, as Python writes it. */
function urlSafe(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}
