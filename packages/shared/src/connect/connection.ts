/** What a client needs to reach the gateway, and the parts of which its instructions consist. */

export type Connection = {
  /** Address of the gateway, without `/v1` and without a slash at the end. */
  baseUrl: string;
  model: string;
  /** The user's own key, or a placeholder. */
  key: string;
  /** Input tokens that the model accepts, if known. */
  contextWindow?: string | undefined;
  /** Model for calls that the client makes in the background. Default: the same. */
  backgroundModel?: string | undefined;
};

/** Shown instead of a key that the reader has not inserted. */
export const KEY_PLACEHOLDER = "sk-…";

/** Name of the gateway in settings that contain several providers. */
export const PROVIDER_ID = "gateway";

export type FileFormat = "json" | "toml" | "env" | "yaml" | "sh";

export type ClientSettingsFile = {
  kind: "file";
  /** With "/" between folders. */
  path: string;
  /** What the path starts at: the user's home folder, or the folder of the application. */
  base: "home" | "application";
  format: FileFormat;
  content: string;
  /** Settings that another way to sign in may have left, which would win over these. JSON paths with dots. */
  removes?: readonly string[];
  /** Settings that are added only where the user has none. Names of the outermost object. */
  keeps?: readonly string[];
};

type Command = {
  kind: "command";
  /** What it does. */
  does: "install" | "connect" | "start" | "run";
  /** For sh, bash and zsh. */
  posix: string;
  powershell: string;
};

type Code = { kind: "code"; language: "Python" | "TypeScript"; install: string; content: string };

/** Values to enter in a form of the application. */
type Fields = {
  kind: "fields";
  /** Menus and buttons that lead to the form, as the application names them. */
  where: readonly string[];
  rows: readonly { name: string; value: string }[];
};

/** An address that opens the application and fills in the connection. */
type DeepLink = { kind: "link"; application: string; url: string };

export type Part = ClientSettingsFile | Command | Code | Fields | DeepLink;

/** Mistakes that are often made with a client. The texts are in the console and in docs/clients.md. */
export type Pitfall =
  | "no-v1"
  | "with-v1"
  | "one-credential"
  | "background-model"
  | "claude-names"
  | "responses-only"
  | "root-keys-first"
  | "selected-type"
  | "project-env"
  | "host-without-path"
  | "host-of-container"
  | "restart"
  | "key-in-code";

export const platforms = ["macOS", "Linux", "Windows"] as const;
export type Platform = (typeof platforms)[number];

/** Returns the path as the platform writes it: "~/.claude/settings.json", "%USERPROFILE%\.claude\settings.json". */
export function pathOn(
  platform: Platform,
  { path, base }: Pick<ClientSettingsFile, "path" | "base">,
): string {
  const local = platform === "Windows" ? path.replaceAll("/", "\\") : path;
  if (base === "application") return local;
  return platform === "Windows" ? `%USERPROFILE%\\${local}` : `~/${local}`;
}
