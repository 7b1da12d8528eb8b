/** The gateway without its ledger, for the benchmark only. The product has no such option. */
import { registerHooks } from "node:module";

const stub = new URL("no-ledger.ts", import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const isLedger = found.url.endsWith("/src/domain/ledger/ledger.ts");
    return isLedger && context.parentURL !== stub ? { ...found, url: stub } : found;
  },
});

await import("../../src/main.ts");
