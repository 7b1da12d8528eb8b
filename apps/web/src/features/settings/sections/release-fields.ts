/** Settings of the check for new versions. Only root can change them. */
import { phrasesIn } from "#lib/i18n.ts";
import type { SettingSection } from "./section.ts";

const phrase = phrasesIn("settings");

export const releaseSection: SettingSection = {
  id: "releases",
  title: phrase("New versions"),
  help: "settings#new-versions",
  hint: phrase(
    "Once a day, the gateway fetches the latest release. It sends nothing about this installation.",
  ),
  foldedBy: "ReleaseCheckEnabled",
  status: "releases",
  fields: [
    { key: "ReleaseCheckEnabled", kind: "switch", label: phrase("Check for new versions") },
    {
      key: "ReleaseCheckAddress",
      kind: "address",
      label: phrase("Address of the releases"),
      hint: phrase(
        "Must return the latest release in the format of GitHub's API, for example https://api.github.com/repos/<owner>/<name>/releases/latest. Empty: the repository of this program.",
      ),
    },
  ],
};
