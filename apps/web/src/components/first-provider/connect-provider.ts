/** Connects a provider with its key alone, or the demo provider: lists and tests its models, then stores a channel. */
import type { PriceRow } from "@gateway/shared/billing/price";
import type { ChannelForm, ChannelRow, ChannelTestResult } from "@gateway/shared/channels/channel";
import type { ProviderInfo } from "@gateway/shared/channels/provider";
import { kindOfModel, sampleModel } from "#components/samples/sample-model.ts";
import { asList, asSent, http } from "#lib/http.ts";
import { unpricedModels } from "#lib/unpriced-models.ts";

/** A first list longer than this is hard to read; a channel accepts more. */
const mostModels = 500;
const DEMO_WAIT_MS = 250;
const demoTries = 40;

export type ConnectedProvider = { channel: ChannelRow; test: ChannelTestResult; unpriced: number };

/** Thrown when the test call of the new channel fails. Nothing was stored. */
export class ChannelTestError extends Error {
  readonly result: ChannelTestResult;
  constructor(result: ChannelTestResult) {
    super(result.message);
    this.name = "ChannelTestError";
    this.result = result;
  }
}

/** Thrown when the demo provider is not listed ten seconds after it was enabled. */
export class DemoStartError extends Error {
  constructor() {
    super("The demo provider did not start.");
    this.name = "DemoStartError";
  }
}

const firstGroup = (groups: readonly string[]) =>
  groups.includes("default") ? "default" : (groups[0] ?? "default");

/**
 * Lists the models of a key, tests one and stores the channel with those that have a price. Stores nothing if one of
 * these fails: throws the error of the list, or `ChannelTestError`.
 * @param prices undefined for administrators who may not see prices: all models are stored
 */
export async function connectProvider(
  provider: ProviderInfo,
  key: string,
  prices: readonly PriceRow[] | undefined,
): Promise<ConnectedProvider> {
  const { type, label: name, test_model } = provider;
  const listed = provider.needs_key
    ? await http.post("/channel/models", asList<string[]>(), {
        type,
        base_url: "",
        key,
        other: "",
        proxy: "",
      })
    : provider.models;
  const unpriced = new Set(prices ? unpricedModels(listed, prices) : []);
  const priced = listed.filter((model) => !unpriced.has(model));
  // Without any price, the administrator sets prices for all of them.
  const models = (priced.length > 0 ? priced : listed).slice(0, mostModels);
  const groups = await http.get("/group", asList<string[]>());
  const input: ChannelForm = { type, name, key, models, groups: [firstGroup(groups)] };
  const tested = models.includes(test_model) ? test_model : bestModel(models);
  const test = await http.post("/channel/test", asSent<ChannelTestResult>(), {
    ...input,
    test_model: tested,
  });
  if (!test.ok) throw new ChannelTestError(test);
  const channel = await http.post("/channel", asSent<ChannelRow>(), { ...input, test_model: tested });
  return { channel, test, unpriced: listed.length - priced.length };
}

/** Returns a chat model if there is one: every kind of key can test it. */
function bestModel(models: readonly string[]): string {
  const chats = models.filter((model) => kindOfModel(model) === "chat");
  return (
    sampleModel(Object.fromEntries(chats.map((model) => [model, { rank: null, info: null }]))) ||
    (models[0] ?? "")
  );
}

const fetchProviders = () => http.get("/providers", asList<ProviderInfo[]>());
const isDemo = ({ id }: ProviderInfo) => id === "demo";

/** Adds a channel of the demo provider, which it enables first if the environment leaves that to administrators. */
export async function connectDemo(): Promise<ConnectedProvider> {
  let demo = (await fetchProviders()).find(isDemo);
  if (!demo) {
    await http.put("/option", asSent<unknown>(), { key: "DemoProviderEnabled", value: true });
    for (let tries = 0; !demo && tries < demoTries; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, DEMO_WAIT_MS));
      demo = (await fetchProviders()).find(isDemo);
    }
  }
  if (!demo) throw new DemoStartError();
  return connectProvider(demo, "", undefined);
}
