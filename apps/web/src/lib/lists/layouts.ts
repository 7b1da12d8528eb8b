/** What takes room above a list. The parameters of the list and its table read the same entry. */
export type ListLayout = {
  /** Pixels of what is above the list, besides the title of the screen and one line of filters. */
  above?: number;
};

export const layouts = {
  usual: {},
  /** Below a description of two lines. */
  belowLongText: { above: 21 },
  /** Below the state of the Telegram bot. */
  belowState: { above: 94 },
  belowTabs: { above: 48 },
  belowAddress: { above: 58 },
} satisfies Record<string, ListLayout>;
