// node scripts/build-server.mjs: bundles the server unless the bundle is up to date. Used by the tests.
import { buildServer } from "./steps.mjs";

buildServer();
