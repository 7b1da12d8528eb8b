import { Text } from "@mantine/core";

type ShortProps = {
  text: string;
  /** Pixels it may take at most. */
  width: number;
  /** What a pointer resting on it is told; the whole text unless said. */
  title?: string;
  /** The name of its row. */
  strong?: boolean;
};

/** One line, cut off where it is too long. */
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
