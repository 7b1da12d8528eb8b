// npm start: from a fresh clone to a running gateway; the second time nothing but the start, and no network.
import { buildWeb, generate, hand, install, node24, requireNode, serverFlags } from "./steps.mjs";

requireNode();
install();
generate();
buildWeb();
hand(node24(), [...serverFlags(), "apps/server/src/main.ts"]);
