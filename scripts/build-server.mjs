// node scripts/build-server.mjs: joins the server's modules into a few files unless that is done; for the tests.
import { buildServer } from "./steps.mjs";

buildServer();
