// npm start: from a fresh clone to a running gateway. Later starts skip the set-up and need no network.
import {
  buildServer,
  buildWeb,
  compileCache,
  gatewayFlags,
  generate,
  hand,
  install,
  node24,
  requireNode,
  serverFlags,
} from "./steps.mjs";

requireNode();
install();
generate();
buildWeb();
const main = buildServer();
hand(node24(), [...gatewayFlags, ...serverFlags(), main], {
  env: { NODE_COMPILE_CACHE: compileCache, ...process.env },
});
