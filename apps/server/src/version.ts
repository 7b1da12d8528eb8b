import rootPackage from "../../../package.json" with { type: "json" };
import packageJson from "../package.json" with { type: "json" };

/** The version of this program. */
export const { version } = packageJson;

/** Address of its repository. */
export const repositoryUrl: string = rootPackage.repository.url;
