import { repository } from "../../../package.json";

const address = repository.url.replace(/^git\+/, "").replace(/\.git$/, "");

/** Page of the project's source code; undefined while `package.json` does not name its owner. */
export const repositoryPage = address.includes("/OWNER/") ? undefined : address;
