import { Text } from "@mantine/core";

type ShortProps = {
  text: string;
  /** Maximum width in pixels. */
  width: number;
  /** Tooltip; the whole text by default. */
  title?: string;
  /** The name of its row. */
  strong?: boolean;
};

/** One line of text, truncated to the width. */
export function Short({ text, width, title = text, strong = false }: ShortProps) {
  return (
    <Text
      span
      fz={strong ? "sm" : "inherit"}
      fw={strong ? 500 : undefined}
      truncate
      display="block"
      maw={width}
      title={title}
    >
      {text}
    </Text>
  );
}
