// npm start: from a fresh clone to a running gateway. Later starts skip the set-up and need no network.
import {
  become,
  buildServer,
  buildWeb,
  compileCache,
  gatewayFlags,
  generate,
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
become(node24(), [...gatewayFlags, ...serverFlags(), main], {
  NODE_COMPILE_CACHE: compileCache,
  ...process.env,
});
