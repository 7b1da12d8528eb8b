/** What follows the first screen of the home page. */
import type { HomeBlock } from "@gateway/shared/site/formats/home-blocks";
import { Container } from "@mantine/core";
import { AvailabilityBlock } from "./availability-block.tsx";
import { ModelsBlock } from "./models-block.tsx";
import { ProvidersBlock } from "./providers-block.tsx";
import { ScenesBlock } from "./scenes-block.tsx";
import classes from "./home.module.css";

const parts: { block: HomeBlock; Part: () => React.ReactNode }[] = [
  { block: "scenes", Part: ScenesBlock },
  { block: "providers", Part: ProvidersBlock },
  { block: "availability", Part: AvailabilityBlock },
  { block: "models", Part: ModelsBlock },
];

export function HomeSections({ blocks }: { blocks: readonly HomeBlock[] }) {
  return parts
    .filter(({ block }) => blocks.includes(block))
    .map(({ block, Part }) => (
      <section key={block} className={classes.block}>
        <Container size={1200} px={{ base: "md", sm: "lg" }}>
          <Part />
        </Container>
      </section>
    ));
}
