// node scripts/release-notes.mjs v0.2.0: prints what CHANGELOG.md says about a version. Fails if package.json has
// another version, or if the changelog has no section for it. The release workflow uses it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, root } from "./steps.mjs";

const version = (process.argv[2] ?? "").replace(/^v/, "");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
if (version !== manifest.version)
  fail(`The version is ${version || "missing"}, and package.json has ${manifest.version}.`);
const sections = readFileSync(join(root, "CHANGELOG.md"), "utf8").split(/^## /m);
const section = sections.find((text) => text.startsWith(`${version} - `));
if (section === undefined) fail(`CHANGELOG.md has no section “${version} - <date>”.`);
console.log(section.slice(section.indexOf("\n")).trim());
