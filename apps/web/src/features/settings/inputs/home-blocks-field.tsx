/** The parts of the home page as checkboxes, stored as comma-separated names. */
import { type HomeBlock, homeBlocks, homeBlocksOf } from "@gateway/shared/site/formats/home-blocks";
import { Checkbox, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { phrasesIn } from "#lib/i18n.ts";

const phrase = phrasesIn("settings");

const titles: Record<HomeBlock, string> = {
  example: phrase("Example of a call"),
  scenes: phrase("Failover, billing and agents"),
  providers: phrase("Providers and prices"),
  availability: phrase("Availability, 24 hours"),
  models: phrase("Models"),
};

type HomeBlocksFieldProps = {
  label: string;
  description: string | undefined;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
};

export function HomeBlocksField({ value, onChange, ...common }: HomeBlocksFieldProps) {
  const { t } = useTranslation("settings");
  return (
    <Checkbox.Group
      {...common}
      value={homeBlocksOf(value)}
      // In the order of the page, so that toggling twice leaves no change.
      onChange={(ticked) => onChange(homeBlocks.filter((block) => ticked.includes(block)).join(","))}
    >
      <Group my={8} style={{ columnGap: 24, rowGap: 10 }}>
        {homeBlocks.map((block) => (
          <Checkbox key={block} value={block} label={t(titles[block])} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}
